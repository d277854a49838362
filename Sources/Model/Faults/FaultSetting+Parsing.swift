import Basics
import Profiles

extension FaultSetting {
    /// The syntax of a setting of the backend's faults, for the user; a time may follow where the
    /// setting is an option of a command.
    package static let syntax = """
        NAME, optionally followed by any of these, each after a colon: once, next=N (the next N \
        times), p=X (with that probability), off; login, refresh, protected, logout, feed (only in \
        these); and the fault's own number, such as seconds=3, seconds=2m, or only 3
        """

    /// Parses a setting.
    ///
    /// - Parameters:
    ///   - text: The setting, such as `delay:once:refresh:seconds=3` or `blip:503x2@30s`; the name
    ///     may be that of the same fault in another place.
    ///   - place: Where the fault is to act.
    /// - Throws: `FaultSettingError`, which says what was expected.
    package init(
        parsing text: some StringProtocol,
        at place: Fault.Place
    ) throws(FaultSettingError) {
        var (text, start) = (String(text), String?.none)
        if let halves = text.halves(at: "@") {
            (text, start) = (String(halves.0), String(halves.1))
        }
        var parts = text.parts(at: ":", keepsEmpty: true)
            .map { String($0.trimmingBlanks) }
        let name = parts.removeFirst()
        guard let fault = Fault.named(name, at: place) else { throw .unknownFault(name, place) }
        self.init(fault, .always)
        if let start { delay = try Self.seconds(start, of: fault) }
        var stateText: String?
        for word in parts {
            if let state = try FaultState(word, of: fault, at: place) {
                if let stateText { throw .contradiction(stateText, word, fault: name) }
                stateText = word
                self.state = state
            } else if place == .backend, let kind = ExchangeKind(rawValue: word) {
                guard fault.kinds.contains(kind) else { throw .notConcerned(kind, fault) }
                kinds.insert(kind)
            } else {
                try self.fault.set(by: word, at: place)
            }
        }
    }

    private static func seconds(
        _ text: String,
        of fault: Fault
    ) throws(FaultSettingError) -> Double {
        let seconds = Double(text) ?? DurationParser.signedSeconds(in: text)
        guard let seconds, (0...86_400).contains(seconds) else {
            throw .badValue(
                "@\(text)",
                expected: "seconds after @, such as @30s",
                fault: fault.name
            )
        }
        return seconds
    }
}

extension FaultState {
    /// Parses a state; `nil` if the word is not one.
    fileprivate init?(
        _ word: String,
        of fault: Fault,
        at place: Fault.Place
    ) throws(FaultSettingError) {
        switch word {
        case "off": self = .off
        case "on": self = .always
        case "once": self = .next(1)
        default:
            guard place == .backend else { return nil }
            if let text = word.value(of: "next") {
                guard let count = Int(text), (1...1_000_000).contains(count) else {
                    throw .badValue(word, expected: "next=1 to 1000000", fault: fault.name)
                }
                self = .next(count)
            } else if let text = word.value(of: "p") {
                guard let chance = Double(text), chance > 0, chance <= 1 else {
                    throw .badValue(word, expected: "p= and over 0, at most 1", fault: fault.name)
                }
                self = .chance(chance)
            } else {
                return nil
            }
        }
    }
}

extension Fault {
    /// Sets the values that a word names: `seconds=3`, or `503x2` without names.
    fileprivate mutating func set(
        by word: String,
        at place: Place
    ) throws(FaultSettingError) {
        let named = parameters.compactMap { parameter in
            word.value(of: parameter.name.rawValue).map { (parameter, $0) }
        }
        let texts = word.split { $0 == "x" || $0 == "×" }.map(String.init)
        let isPlain = texts.count <= parameters.count && !word.containsBytes(of: "=")
        let written = named.isEmpty && isPlain ? Array(zip(parameters, texts)) : named
        guard !written.isEmpty,
            !named.isEmpty || written[0].0.isFlag || word.utf8.contains(where: \.isDigit)
        else { throw .unknownWord(word, self, place) }
        for (parameter, text) in written {
            guard let value = parameter.value(in: text) else {
                throw .badValue(word, expected: parameter.description, fault: name)
            }
            guard values[parameter.name] == nil || values[parameter.name] == value else {
                throw .contradiction(word, "what stands before it", fault: name)
            }
            set(value, for: parameter.name)
        }
    }
}

extension String {
    /// Returns the text after `key=`, or `nil` if the text has another key.
    fileprivate func value(of key: String) -> String? {
        part(after: key + "=").map(String.init)
    }
}

/// The reason why a text is not a valid setting of a fault.
package enum FaultSettingError: Error, Sendable, Equatable {
    case unknownFault(String, Fault.Place)
    case unknownWord(String, Fault, Fault.Place)
    case badValue(String, expected: String, fault: String)
    case notConcerned(ExchangeKind, Fault)
    /// The two words exclude each other.
    case contradiction(String, String, fault: String)
}

extension FaultSettingError: CustomStringConvertible {
    /// A one-line message that lists the valid values.
    package var description: String {
        switch self {
        case .unknownFault(let name, let place):
            let known = Fault.acting(at: place).map(\.name)
            let nearest = name.isEmpty ? nil : NearestKey.of(name, among: known)
            let hint = nearest.map { ": did you mean \($0)?" } ?? "."
            return "there is no \(place.noun) \"\(name.inOneLine(limit: 60))\"\(hint) "
                + "There are \(known.joined(separator: ", "))"
        case .unknownWord(let word, let fault, let place):
            return "\(fault.name): \"\(word.inOneLine(limit: 60))\" is not understood, expected "
                + Self.words(for: fault, at: place)
        case .badValue(let word, let expected, let fault):
            return "\(fault): \"\(word.inOneLine(limit: 60))\": expected \(expected)"
        case .notConcerned(let kind, let fault):
            return "\(fault.name) does not affect \(kind.rawValue), only "
                + fault.kinds.map(\.rawValue).joined(separator: ", ")
        case .contradiction(let first, let second, let fault):
            return
                "\(fault): \(first.inOneLine(limit: 60)) and \(second.inOneLine(limit: 60)) exclude each other"
        }
    }

    private static func words(for fault: Fault, at place: Fault.Place) -> String {
        switch place {
        case .client, .app:
            fault.notation.map { "\(fault.name):\($0)" } ?? "nothing after its name"
        case .backend:
            (["on", "off", "once", "next=N", "p=X"] + fault.kinds.map(\.rawValue)
                + fault.parameters.map { "\($0.name.rawValue)=N" }).joined(separator: ", ")
        }
    }
}

extension Fault.Place {
    /// The word for a fault that acts there.
    fileprivate var noun: String {
        switch self {
        case .backend: "fault"
        case .client, .app: "experiment"
        }
    }
}
