import Basics
import Profiles

extension FaultSetting {
    /// The syntax of a setting, for the user.
    package static let syntax = """
        NAME, optionally followed by any of these, each after a colon: once, next=N (the next N \
        times), p=X (with that probability), off; login, refresh, protected, logout, feed (only in \
        these); and the fault's own number, such as seconds=3, seconds=2m, or only 3
        """

    /// Parses a setting.
    ///
    /// - Parameter text: The setting, in the syntax that `syntax` describes.
    /// - Throws: `FaultSettingError`, which says what was expected.
    package init(parsing text: some StringProtocol) throws(FaultSettingError) {
        var parts = text.parts(at: ":", keepsEmpty: true)
            .map { String($0.trimmed) }
        let name = parts.removeFirst()
        guard let fault = KnownFault.named(name) else { throw .unknownFault(name) }
        self.init(fault, .always)
        var stateText: String?
        for word in parts {
            if let state = try FaultState(word, of: name) {
                if let stateText { throw .contradiction(stateText, word, fault: name) }
                stateText = word
                self.state = state
            } else if let kind = ExchangeKind(rawValue: word) {
                guard fault.kinds.contains(kind) else { throw .notConcerned(kind, fault: name) }
                kinds.insert(kind)
            } else {
                let value = try fault.value(in: word)
                guard self.value == nil || self.value == value else {
                    throw .contradiction(word, "what stands before it", fault: name)
                }
                self.value = value
            }
        }
    }
}

extension FaultState {
    /// Parses a state; `nil` if the word is not one.
    fileprivate init?(_ word: String, of fault: String) throws(FaultSettingError) {
        switch word {
        case "off": self = .off
        case "on": self = .always
        case "once": self = .next(1)
        default:
            if let text = word.value(of: "next") {
                guard let count = Int(text), (1...1_000_000).contains(count) else {
                    throw .badValue(word, expected: "next=1 to 1000000", fault: fault)
                }
                self = .next(count)
            } else if let text = word.value(of: "p") {
                guard let chance = Double(text), chance > 0, chance <= 1 else {
                    throw .badValue(word, expected: "p= and over 0, at most 1", fault: fault)
                }
                self = .chance(chance)
            } else {
                return nil
            }
        }
    }
}

extension KnownFault {
    fileprivate func value(in word: String) throws(FaultSettingError) -> Double {
        let isNumber = word.utf8.contains(where: \.isDigit) && !word.containsBytes(of: "=")
        guard let parameter,
            let text = word.value(of: parameter.name.rawValue) ?? (isNumber ? word : nil)
        else { throw .unknownWord(word, fault: name) }
        guard let value = parameter.name.value(in: text), parameter.admits(value) else {
            throw .badValue(word, expected: parameter.description, fault: name)
        }
        return value
    }
}

extension FaultParameter.Name {
    /// Parses a number; seconds may also be a duration such as `5m`, which may be negative.
    fileprivate func value(in text: String) -> Double? {
        Double(text) ?? (self == .seconds ? DurationParser.signedSeconds(in: text) : nil)
    }
}

extension FaultParameter: CustomStringConvertible {
    /// The name and the range, such as `seconds=0 to 600`.
    package var description: String {
        "\(name.rawValue)=\(range.lowerBound.shortest) to \(range.upperBound.shortest)"
    }
}

extension String {
    /// Returns the text after `key=`, or `nil` if the text has another key.
    fileprivate func value(of key: String) -> String? {
        part(after: key + "=").map(String.init)
    }
}

extension StringProtocol where SubSequence == Substring {
    /// The text without whitespace around it.
    package var trimmed: Substring { trimming { $0 == 0x20 } }
}

/// The reason why a text is not a valid setting of a fault.
package enum FaultSettingError: Error, Sendable, Equatable {
    case unknownFault(String)
    case unknownWord(String, fault: String)
    case badValue(String, expected: String, fault: String)
    case notConcerned(ExchangeKind, fault: String)
    /// The two words exclude each other.
    case contradiction(String, String, fault: String)
}

extension FaultSettingError: CustomStringConvertible {
    /// A one-line message that lists the valid values.
    package var description: String {
        switch self {
        case .unknownFault(let name):
            let known = KnownFault.all.map(\.name)
            let nearest = name.isEmpty ? nil : NearestKey.of(name, among: known)
            let hint = nearest.map { ": did you mean \($0)?" } ?? "."
            return "there is no fault \"\(name.inOneLine(limit: 60))\"\(hint) "
                + "There are \(known.joined(separator: ", "))"
        case .unknownWord(let word, let fault):
            return "\(fault): \"\(word.inOneLine(limit: 60))\" is not understood, expected "
                + Self.message(for: fault)
        case .badValue(let word, let expected, let fault):
            return "\(fault): \"\(word.inOneLine(limit: 60))\": expected \(expected)"
        case .notConcerned(let kind, let fault):
            let kinds = KnownFault.named(fault)?.kinds.map(\.rawValue) ?? []
            return "\(fault) does not affect \(kind.rawValue), only "
                + kinds.joined(separator: ", ")
        case .contradiction(let first, let second, let fault):
            return
                "\(fault): \(first.inOneLine(limit: 60)) and \(second.inOneLine(limit: 60)) exclude each other"
        }
    }

    private static func message(for name: String) -> String {
        let fault = KnownFault.named(name)
        let parameter = fault?.parameter.map { "\($0.name.rawValue)=N" }
        return
            (["on", "off", "once", "next=N", "p=X"] + (fault?.kinds.map(\.rawValue) ?? [])
            + [parameter].compactMap(\.self)).joined(separator: ", ")
    }
}
