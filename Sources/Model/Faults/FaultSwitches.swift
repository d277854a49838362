import Basics
import Profiles

/// The body of a request that sets faults, of the sandbox's as of the proxy's port, such as
/// `{"on": ["delay:seconds=3"], "off": "all"}`.
///
/// Either all of its settings take effect, or none.
package struct FaultSwitches: Sendable, Equatable {
    /// The settings in the order in which they are applied; those that turn faults off come first.
    package let settings: [FaultSetting]
    /// The session of an app that they concern, or `nil` for any.
    package let session: SessionID?

    /// - Throws: `FaultSwitchesError`, which says what was expected.
    package init(parsing body: [UInt8], at place: Fault.Place) throws(FaultSwitchesError) {
        guard case .object(let members)? = JSONValue(parsing: body) else {
            throw .nothingAsked(place)
        }
        let keys = Key.allCases.filter { $0 != .session || place == .app }
        let known = keys.map(\.rawValue)
        if let key = members.keys.sorted().first(where: { !known.contains($0) }) {
            throw .unknownKey(key, known: known)
        }
        session = members[Key.session.rawValue]?.displayText.map { SessionID($0) }
        var settings: [FaultSetting] = []
        for key in keys where key != .session {
            guard let value = members[key.rawValue] else { continue }
            if key == .off, value == .string("all") {
                settings += FaultSetting.allOff(at: place)
                continue
            }
            for text in try Self.texts(value, of: key, at: place) {
                do throws(FaultSettingError) {
                    let setting = try FaultSetting(parsing: text + key.suffix, at: place)
                    guard setting.delay == 0 else {
                        throw .badValue(text, expected: "no time", fault: setting.fault.name)
                    }
                    settings.append(setting)
                } catch {
                    throw .badSetting(error)
                }
            }
        }
        guard !settings.isEmpty else { throw .nothingAsked(place) }
        self.settings = settings
    }

    private static func texts(
        _ value: JSONValue,
        of key: Key,
        at place: Fault.Place
    ) throws(FaultSwitchesError) -> [String] {
        switch value {
        case .string(let text): return [text]
        case .array(let items):
            let texts = items.compactMap(\.stringValue)
            guard texts.count == items.count else { throw .notTexts(key.rawValue, place) }
            return texts
        default: throw .notTexts(key.rawValue, place)
        }
    }

    private enum Key: String, CaseIterable {
        case off
        case on
        case once
        case session

        /// The suffix that selects it in a setting.
        var suffix: String { self == .on ? "" : ":\(rawValue)" }
    }
}

/// The reason why no fault was set.
package enum FaultSwitchesError: Error, Sendable, Equatable {
    case nothingAsked(Fault.Place)
    case unknownKey(String, known: [String])
    case notTexts(String, Fault.Place)
    case badSetting(FaultSettingError)
}

extension FaultSwitchesError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .nothingAsked(let place):
            "expected JSON with on, once or off, such as {\"once\": \"\(place.example)\"}"
        case .unknownKey(let key, let known):
            "unknown key \"\(key.inOneLine(limit: 60))\": expected \(known.joined(separator: ", "))"
        case .notTexts(let key, let place):
            "\(key): expected a fault, or an array of them, such as [\"\(place.example)\"]"
        case .badSetting(let error):
            error.description
        }
    }
}

extension Fault.Place {
    fileprivate var example: String {
        switch self {
        case .backend: "rate-limit"
        case .client: "expired-token"
        case .app: "expire"
        }
    }
}
