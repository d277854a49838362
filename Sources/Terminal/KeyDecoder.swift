import UI

/// Decodes ncurses input, which is bytes below 256 and key codes above, into keys and reports of
/// the focus and the mouse.
///
/// It decodes one burst at a time, which is the input available at one wakeup: an escape at the end
/// of a burst is the Escape key, while one that is followed by other input may start a sequence.
/// Only the bytes of a character and a pasted text may be split between bursts.
struct KeyDecoder: Sendable {
    private var character = PartialCharacter()
    /// The pasted text so far, while the mark after it has not come.
    private var paste: PastedText?
    /// Whether the terminal was asked for its ground, and has not answered.
    var awaitsGround = false
    /// The answer so far.
    private var ground: GroundReport?
    /// Whether the last code was an escape that may have begun the answer.
    private var isAfterEscape = false
    /// Whether it was one that ended it, which a backslash follows.
    private var isAfterGround = false

    init() {}

    mutating func decode(_ burst: [Int32]) -> [TerminalEvent] {
        var events: [TerminalEvent] = []
        var text = ""
        var rest = burst[...]
        if isAfterGround, rest.first == GroundReport.backslash { rest.removeFirst() }
        if isAfterEscape, awaitsGround, rest.first == GroundReport.start {
            ground = GroundReport()
            rest.removeFirst()
        }
        isAfterGround = false
        isAfterEscape = burst.last == Self.escape
        while let code = rest.popFirst() {
            if let event = takeGround(code, &rest) {
                events += event
                continue
            }
            if paste?.isOpen == true {
                paste?.append(code)
                // A terminal that never marks the end must not lock the user out.
                if code == Self.interrupt { events.append(.key(.control("c"))) }
                if let text = paste?.text { events.append(.pasted(text)) }
                if paste?.isOpen == false { paste = nil }
                continue
            }
            if let byte = UInt8(exactly: code), byte >= 0x20, byte != 0x7F {
                if let scalar = character.append(byte) { text.unicodeScalars.append(scalar) }
                continue
            }
            character = PartialCharacter()
            events += text.map { .key(.character($0)) }
            text = ""
            if code == Self.escape {
                if awaitsGround, rest.first == GroundReport.start {
                    ground = GroundReport()
                    rest.removeFirst()
                    continue
                }
                let length = unknownSequenceLength(rest)
                if rest.starts(with: BracketedPaste.start) {
                    paste = PastedText()
                    rest = rest.dropFirst(BracketedPaste.start.count)
                    continue
                }
                if length > 0 {
                    let report = rest.prefix(length)
                    if let event = FocusReport.event(report) ?? MouseReport.event(report) {
                        events.append(event)
                    }
                    rest = rest.dropFirst(length)
                    continue
                }
            }
            if let key = Self.key(of: code) { events.append(.key(key)) }
        }
        return events + text.map { .key(.character($0)) }
    }

    /// Takes a code in that belongs to the answer about the ground.
    ///
    /// - Returns: The event that it completes, if it is one, or `nil` if the code is no part of it.
    private mutating func takeGround(
        _ code: Int32,
        _ rest: inout ArraySlice<Int32>
    ) -> [TerminalEvent]? {
        guard var report = ground else { return nil }
        switch report.append(code) {
        case .going:
            ground = report
            return []
        case .none:
            ground = nil
            return nil
        case .over(let isLight):
            ground = nil
            awaitsGround = false
            if code == Self.escape {
                isAfterGround = rest.isEmpty
                if rest.first == GroundReport.backslash { rest.removeFirst() }
            }
            return isLight.map { [.ground(isLight: $0)] } ?? []
        }
    }

    private static let escape: Int32 = 27
    /// Ctrl-C.
    fileprivate static let interrupt: Int32 = 3

    private static func key(of code: Int32) -> Key? {
        switch code {
        case 8, 127: .backspace
        case 9: .tab
        case 10, 13: .enter
        case escape: .escape
        case 0..<32: controlKey(UInt8(code))
        default: KeyCodes.key(of: code)
        }
    }

    /// Returns the key of a control character: Ctrl-@ is 0, Ctrl-A is 1, each 64 below its letter.
    private static func controlKey(_ byte: UInt8) -> Key {
        .control(Character(Unicode.Scalar(byte + 64).properties.lowercaseMapping))
    }

    /// Returns the length of a control sequence after an escape that ncurses has no key code for.
    ///
    /// Otherwise the digits in Ctrl-F5 (`ESC [ 15 ; 5 ~`) would be read as keys.
    private func unknownSequenceLength(_ rest: ArraySlice<Int32>) -> Int {
        switch rest.first {
        case 0x5B:
            let parameters = rest.dropFirst().prefix { (0x20...0x3F).contains($0) }
            let isComplete = rest.dropFirst(1 + parameters.count).first.map(isFinal) ?? false
            if isComplete { return parameters.count + 2 }
            return parameters.isEmpty ? 0 : parameters.count + 1
        case 0x4F:
            return rest.dropFirst().first.map(isFinal) ?? false ? 2 : 0
        default:
            return 0
        }
    }

    private func isFinal(_ code: Int32) -> Bool {
        (0x40...0x7E).contains(code)
    }
}

/// Decodes the bytes of a UTF-8 character as they arrive; invalid bytes are dropped.
struct PartialCharacter: Sendable {
    private var bytes: [UInt8] = []

    /// - Returns: The character that this byte completes, or `nil`; also `nil` for a control
    ///   character.
    mutating func append(_ byte: UInt8) -> Unicode.Scalar? {
        if !UTF8.isContinuation(byte) { bytes = [] }
        bytes.append(byte)
        var decoder = UTF8()
        var input = bytes.makeIterator()
        guard bytes.count == length, case .scalarValue(let scalar) = decoder.decode(&input) else {
            if bytes.count >= length { bytes = [] }
            return nil
        }
        bytes = []
        return scalar.properties.generalCategory == .control ? nil : scalar
    }

    /// The number of bytes that the first byte announces.
    private var length: Int {
        switch bytes.first ?? 0 {
        case 0xC2...0xDF: 2
        case 0xE0...0xEF: 3
        case 0xF0...0xF4: 4
        default: 1
        }
    }
}

/// A pasted text as it arrives.
private struct PastedText: Sendable {
    /// Longer ones are cut, in characters.
    private static let limit = 65_536

    private(set) var isOpen = true
    private var scalars = String.UnicodeScalarView()
    private var character = PartialCharacter()
    /// The last codes, as many as the mark of the end has.
    private var tail: [Int32] = []

    /// The whole text once its end has come.
    var text: String? { isOpen ? nil : String(scalars) }

    mutating func append(_ code: Int32) {
        tail = tail.suffix(BracketedPaste.end.count - 1) + [code]
        if tail == BracketedPaste.end {
            // The mark but for its escape was taken for text.
            scalars.removeLast(min(scalars.count, BracketedPaste.end.count - 2))
            isOpen = false
        } else if code == KeyDecoder.interrupt {
            isOpen = false
        } else if let byte = UInt8(exactly: code), byte >= 0x20, byte != 0x7F {
            guard let scalar = character.append(byte), scalars.count < Self.limit else { return }
            scalars.append(scalar)
        } else {
            character = PartialCharacter()
        }
    }
}
