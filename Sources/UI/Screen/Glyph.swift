/// The content of one place of the screen: harmless to a terminal, and one or two columns wide.
package struct Glyph: Sendable, Hashable {
    package fileprivate(set) var text: String
    let width: Int

    fileprivate init(_ text: String, width: Int = 1) {
        self.text = text
        self.width = width
    }

    static let space = Glyph(" ")
    /// Where a text was cut off.
    static let ellipsis = Glyph("…")
    /// For what has no harmless form.
    static let replacement = Glyph("\u{FFFD}")
    fileprivate static let dottedCircle = Glyph("\u{25CC}")

    /// `U+2400` and the following are pictures of the control characters.
    fileprivate static func picture(ofControl value: UInt32) -> Glyph {
        Unicode.Scalar(0x2400 + value).map { Glyph(String($0)) } ?? .replacement
    }

    /// Returns the text that replaces a scalar that must not reach a terminal.
    static func signs(for scalar: Unicode.Scalar) -> String {
        switch scalar.value {
        case 0..<0x20: picture(ofControl: scalar.value).text
        case 0x7F: deletePicture.text
        case 0x80..<0xA0:
            picture(ofControl: 0x1B).text + ascii[Int(scalar.value) - 0x40 - 0x20].text
        default: replacement.text
        }
    }

    fileprivate static let deletePicture = Glyph("\u{2421}")
    fileprivate static let ascii: [Glyph] = (0x20...0x7E).map { Glyph(String(UnicodeScalar($0))) }
}

/// The glyphs of any text, including untrusted text; the only way from a text to a grid.
///
/// Controls become pictures of themselves (`␛`, `␊`), C1 controls the escape sequences they stand
/// for (`␛[`, ECMA-35), and what changes the direction of text, has no shape or no certain width
/// becomes `�`. Marks join their base, at most four, as many as a terminal's cell holds. Each glyph
/// is as wide as a terminal counts scalar by scalar, so that no cluster shifts the rest of its row.
package struct Glyphs: Sequence, IteratorProtocol {
    private static let marksPerGlyph = 4

    private var scalars: String.UnicodeScalarView.Iterator
    /// The glyph that may still get marks.
    private var pending: Glyph?
    private var marks = 0
    /// Glyphs that are ready, in reverse.
    private var ready: [Glyph] = []

    package init(_ text: String) {
        scalars = text.unicodeScalars.makeIterator()
    }

    package mutating func next() -> Glyph? {
        if let glyph = ready.popLast() { return glyph }
        while let scalar = scalars.next() {
            if let glyph = take(scalar) { return glyph }
        }
        defer { pending = nil }
        return pending
    }

    /// The glyph that is complete because of `scalar`, if one is.
    private mutating func take(_ scalar: Unicode.Scalar) -> Glyph? {
        switch DisplayWidth(of: scalar) {
        case .one where scalar.isASCII: return follow(with: Glyph.ascii[Int(scalar.value) - 0x20])
        case .one: return follow(with: Glyph(String(scalar)))
        case .two: return follow(with: Glyph(String(scalar), width: 2))
        case .joins:
            join(scalar)
            return nil
        case .decoration where pending != nil: return nil
        case .decoration, .harmful: return takeHarmful(scalar)
        }
    }

    private mutating func takeHarmful(_ scalar: Unicode.Scalar) -> Glyph? {
        switch scalar.value {
        case 0..<0x20: return follow(with: .picture(ofControl: scalar.value))
        case 0x7F: return follow(with: .deletePicture)
        case 0x80..<0xA0:
            let before = follow(with: .picture(ofControl: 0x1B))
            let escape = follow(with: Glyph.ascii[Int(scalar.value) - 0x40 - 0x20])
            guard let before else { return escape }
            if let escape { ready.append(escape) }
            return before
        default: return follow(with: .replacement)
        }
    }

    private mutating func follow(with glyph: Glyph) -> Glyph? {
        defer {
            pending = glyph
            marks = 0
        }
        return pending
    }

    private mutating func join(_ mark: Unicode.Scalar) {
        if pending == nil { pending = .dottedCircle }
        guard marks < Self.marksPerGlyph else { return }
        marks += 1
        pending?.text.unicodeScalars.append(mark)
    }
}
