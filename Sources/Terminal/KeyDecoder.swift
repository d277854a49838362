import Dashboard

/// Turns what ncurses reads, bytes below 256 and key numbers above, into keys and focus reports.
///
/// It works on bursts, what one wake of the program finds: an escape that ends a burst is the key,
/// one that something follows may begin a sequence. Only a character's bytes may be split between
/// two bursts.
package struct KeyDecoder: Sendable {
    private var character = PartialCharacter()

    package init() {}

    package mutating func decode(_ burst: [Int32]) -> [TerminalEvent] {
        var events: [TerminalEvent] = []
        var text = ""
        var rest = burst[...]
        while let code = rest.popFirst() {
            if let byte = UInt8(exactly: code), byte >= 0x20, byte != 0x7F {
                if let scalar = character.append(byte) { text.unicodeScalars.append(scalar) }
                continue
            }
            character = PartialCharacter()
            events += text.map { .key(.character($0)) }
            text = ""
            if code == Self.escape {
                let length = unknownSequenceLength(rest)
                if length > 0 {
                    if let focus = FocusReport.event(rest.prefix(length)) { events.append(focus) }
                    rest = rest.dropFirst(length)
                    continue
                }
            }
            if let key = Self.key(of: code) { events.append(.key(key)) }
        }
        return events + text.map { .key(.character($0)) }
    }

    private static let escape: Int32 = 27

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

    /// Ctrl-A is 1, Ctrl-@ 0: the control characters are the letters 64 places below.
    private static func controlKey(_ byte: UInt8) -> Key {
        .control(Character(Unicode.Scalar(byte + 64).properties.lowercaseMapping))
    }

    /// How much after an escape belongs to a control sequence that ncurses has no key for.
    ///
    /// Without this the digits in Ctrl-F5 (`ESC [ 15 ; 5 ~`) would be pressed as keys.
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

/// The bytes of one UTF-8 character as they arrive; what is not UTF-8 is dropped.
struct PartialCharacter: Sendable {
    private var bytes: [UInt8] = []

    /// - Returns: The character that this byte completes, unless it is a control character.
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

    /// Bytes that the first one announces.
    private var length: Int {
        switch bytes.first ?? 0 {
        case 0xC2...0xDF: 2
        case 0xE0...0xEF: 3
        case 0xF0...0xF4: 4
        default: 1
        }
    }
}
