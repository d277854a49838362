import Backend
import Tokens

/// What `POST /__sandbox/faults` asks for, such as `{"on": ["delay:seconds=3"], "off": "all"}`.
///
/// All of it holds, or nothing does.
struct FaultOrder: Sendable, Equatable {
    /// In the order in which they are to be set: what is switched off comes first.
    let switches: [FaultSwitch]

    init(parsing body: [UInt8]) throws(FaultOrderError) {
        guard case .object(let members)? = JSONValue(parsing: body) else { throw .notAnObject }
        if let key = members.keys.sorted().first(where: { Key(rawValue: $0) == nil }) {
            throw .unknownKey(key)
        }
        var switches: [FaultSwitch] = []
        for key in Key.allCases {
            guard let value = members[key.rawValue] else { continue }
            if key == .off, value == .string("all") {
                switches += FaultSwitch.allOff
                continue
            }
            for text in try Self.texts(value, of: key) {
                do throws(FaultSwitchError) {
                    switches.append(try FaultSwitch(parsing: text + key.suffix))
                } catch {
                    throw .badSwitch(error)
                }
            }
        }
        guard !switches.isEmpty else { throw .nothingAsked }
        self.switches = switches
    }

    private static func texts(_ value: JSONValue, of key: Key) throws(FaultOrderError) -> [String] {
        switch value {
        case .string(let text): return [text]
        case .array(let items):
            let texts = items.compactMap(\.stringValue)
            guard texts.count == items.count else { throw .notTexts(key.rawValue) }
            return texts
        default: throw .notTexts(key.rawValue)
        }
    }

    private enum Key: String, CaseIterable {
        case off
        case on
        case once

        /// The word that stands for it in a switch.
        var suffix: String { self == .on ? "" : ":\(rawValue)" }
    }
}

/// Why no fault was set.
enum FaultOrderError: Error, Sendable, Equatable {
    case notAnObject
    case unknownKey(String)
    case notTexts(String)
    case nothingAsked
    case badSwitch(FaultSwitchError)
}

extension FaultOrderError: CustomStringConvertible {
    var description: String {
        switch self {
        case .notAnObject, .nothingAsked:
            "expected JSON with on, once or off, such as {\"once\": \"rate-limit\"}"
        case .unknownKey(let key):
            "unknown key \"\(key)\": expected on, once or off"
        case .notTexts(let key):
            "\(key): expected a fault, or an array of them, such as [\"rate-limit\"]"
        case .badSwitch(let error):
            error.description
        }
    }
}
