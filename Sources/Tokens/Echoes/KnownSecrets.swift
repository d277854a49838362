/// Secrets that a server may repeat, and the search for them in what it says.
///
/// A text of a server's is given to `hiding(in:)` before it becomes part of an event, an error, a
/// log line or a screen. Every occurrence of a secret is replaced by a mark, in each of these
/// forms, and in any mixture of the escapes, nested up to three deep:
///
/// * as it is;
/// * percent-encoded, in whole or in part, with `+` for a space;
/// * escaped as in JSON (RFC 8259 section 7);
/// * escaped as in HTML, with named and numeric references;
/// * in base64 of either alphabet, wherever it begins in its group of three bytes; also as
///   `Basic` credentials hold it, form-encoded before (RFC 6749 section 2.3.1);
/// * in hexadecimal.
///
/// A secret of fewer than four bytes in UTF-8 is found only where it stands as a whole word, as it
/// is or in one of these forms. A text that holds it so is withheld as a whole: a mark in its place
/// would tell of every such word what it was. In hexadecimal it is found where that takes four
/// digits or more: fewer are a number like any other. What consists of blanks alone is not looked
/// for.
///
/// What the program says itself is not to be given to it: a password that is one of our words would
/// show by what is missing.
package struct KnownSecrets: Sendable {
    /// Knows none.
    package static let none = KnownSecrets()

    /// Stands for a text that holds a secret too short to be replaced.
    package static let withheld = "‹withheld›"
    /// Stands for a secret that has no better name.
    package static let hidden = "‹hidden›"

    /// So many bytes make a secret that is replaced wherever it stands.
    static let shortest = 4

    private struct Entry: Sendable {
        let mark: String
        let forms: [SecretForm]
    }

    private var entries: [Secret: Entry] = [:]
    private var index = SecretIndex()
    private var short: Set<Secret> = []
    /// Whether one of them holds a blank, for which a form has a `+`.
    private var hasBlank = false
    /// Names tokens; without it they are all called `‹hidden›`.
    private let fingerprinter: Fingerprinter?

    package init(fingerprinter: Fingerprinter? = nil) {
        self.fingerprinter = fingerprinter
        for mark in [Self.withheld, Self.hidden] { index.add(.mark(mark), for: mark) }
    }

    package func contains(_ secret: Secret) -> Bool { entries[secret] != nil }

    /// - Parameters:
    ///   - secret: What must not be seen; one that is known already keeps its mark.
    ///   - name: What kind of a thing it is, such as `password`; a token is called by its
    ///     fingerprint.
    package mutating func add(_ secret: Secret, named name: String? = nil) {
        let text = secret.reveal()
        guard entries[secret] == nil, text.utf8.contains(where: { !Self.isBlank($0) }) else {
            return
        }
        let mark = mark(of: secret, named: name)
        let isShort = secret.byteCount < Self.shortest
        let forms = isShort ? [] : SecretForm.all(of: text) + [.mark(mark)]
        entries[secret] = Entry(mark: mark, forms: forms)
        if isShort { short.insert(secret) }
        for form in forms { index.add(form, for: mark) }
        hasBlank = hasBlank || text.utf8.contains(where: Self.isBlank)
    }

    package mutating func remove(_ secrets: some Sequence<Secret>) {
        var isChanged = false
        for secret in secrets where entries.removeValue(forKey: secret) != nil { isChanged = true }
        guard isChanged else { return }
        let left = entries
        self = KnownSecrets(fingerprinter: fingerprinter)
        for (secret, entry) in left {
            entries[secret] = entry
            if secret.byteCount < Self.shortest { short.insert(secret) }
            for form in entry.forms { index.add(form, for: entry.mark) }
            hasBlank = hasBlank || secret.reveal().utf8.contains(where: Self.isBlank)
        }
    }

    /// These and more, such as the tokens of the answer that is being read.
    package func adding(_ secrets: some Sequence<Secret>) -> KnownSecrets {
        var all = self
        for secret in secrets { all.add(secret) }
        return all
    }

    private func mark(of secret: Secret, named name: String?) -> String {
        if let name {
            let letters = name.map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : " " }
            return "‹\(String(letters.prefix(30)))›"
        }
        return fingerprinter?.fingerprint(of: secret).description ?? Self.hidden
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte <= 0x20 }
}

extension KnownSecrets {
    /// The text without a secret in it.
    package func hiding(in text: String) -> String {
        entries.isEmpty ? text : hiding(in: text, isCut: false)
    }

    /// The first characters of a text without a secret in them; one that the end cuts off is
    /// hidden as well.
    package func hiding(in text: String, limit: Int) -> String {
        // A character has a byte at least.
        guard text.utf8.count > limit,
            let end = text.index(text.startIndex, offsetBy: limit, limitedBy: text.endIndex),
            end < text.endIndex
        else { return hiding(in: text) }
        guard !entries.isEmpty else { return String(text[..<end]) }
        return hiding(in: String(text[..<Self.withoutBegunEscape(text[..<end])]), isCut: true)
    }

    /// The value with none in its strings, names and numbers.
    package func hiding(in value: JSONValue) -> JSONValue {
        guard !entries.isEmpty else { return value }
        switch value {
        case .null, .bool: return value
        case .string(let text): return .string(hiding(in: text))
        case .integer, .number:
            guard let text = value.displayText else { return value }
            let shown = hiding(in: text)
            return shown == text ? value : .string(shown)
        case .array(let elements): return .array(elements.map(hiding))
        case .object(let members): return .object(hiding(in: members))
        }
    }

    package func hiding(in members: [String: JSONValue]) -> [String: JSONValue] {
        guard !entries.isEmpty else { return members }
        return Dictionary(
            members.map { (hiding(in: $0.key), hiding(in: $0.value)) },
            uniquingKeysWith: { first, _ in first }
        )
    }

    private func hiding(in text: String, isCut: Bool) -> String {
        var text = text
        var found = Occurrences()
        let isWithheld = text.withUTF8 { bytes in
            guard short.isEmpty else { return search(Array(bytes), isCut, &found) }
            // Nearly every text is plain: it is looked at where it is.
            var isEscaped = index.search(in: bytes, isCut: isCut, &found)
            if hasBlank, !isEscaped { isEscaped = bytes.contains(UInt8(ascii: "+")) }
            return isEscaped ? search(Array(bytes), isCut, &found) : false
        }
        if isWithheld { return Self.withheld }
        return found.isEmpty ? text : found.replaced(in: text)
    }

    /// Looks at the text, and at what it stands for where something in it is escaped.
    ///
    /// - Returns: Whether it is to be withheld.
    private func search(_ bytes: [UInt8], _ isCut: Bool, _ found: inout Occurrences) -> Bool {
        for reading in EscapedText.readings(of: bytes, plusIsBlank: hasBlank) {
            var occurrences = Occurrences()
            _ = reading.bytes.withUnsafeBufferPointer {
                index.search(in: $0, isCut: isCut, &occurrences)
            }
            found.add(occurrences, by: reading)
            if !short.isEmpty, hasShort(in: reading.bytes) { return true }
        }
        return false
    }

    private func hasShort(in bytes: [UInt8]) -> Bool {
        let texts = [bytes] + EncodedRuns.decoded(in: bytes)
        return short.contains { secret in
            secret.withBytes { secret in
                texts.contains { EncodedRuns.holdsWord(secret, in: $0) }
            }
        }
    }

    /// Where a text ends when the escape at its end, which may be half of one, is left out.
    private static func withoutBegunEscape(_ text: Substring) -> String.Index {
        let mark = text.suffix(12).lastIndex { ["%", "&", "\\"].contains($0) }
        return mark ?? text.endIndex
    }
}

extension KnownSecrets: CustomStringConvertible, CustomReflectable {
    package var description: String { "‹secrets›" }
    package var customMirror: Mirror { Mirror(self, children: [(label: String?, value: Any)]()) }
}
