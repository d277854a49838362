import Backend
import Basics
import Synchronization

/// The settings and the status of faults.
extension SandboxCore {
    func set(_ switches: [FaultSetting]) {
        locked.withLock { state in
            for setting in switches { state.faultController.set(setting) }
        }
    }

    var faults: [FaultStatus] { locked.withLock { $0.faultController.statuses } }

    var faultList: FaultList {
        FaultList(schedule: scheduleSeed.map(FaultList.Schedule.init), faults: faults)
    }

    /// Returns what the feed does at a moment of a socket's life.
    func decision(at moment: FeedMoment) -> FeedDecision {
        locked.withLock { $0.faultController.decision(at: moment, drawing: &$0.random) }
    }

    /// Sets faults according to a schedule until the caller is cancelled.
    ///
    /// - Parameters:
    ///   - schedule: The schedule, which starts now.
    ///   - onStep: Called with each setting once it is in effect.
    /// - Throws: `CancellationError`.
    func follow(
        _ schedule: FaultSchedule,
        onStep: @Sendable (FaultSetting) -> Void
    ) async throws {
        var schedule = schedule
        var due = timekeeper.now
        while true {
            let step = schedule.next()
            due = due.advanced(bySeconds: step.after)
            try await timekeeper.sleep(until: due)
            set([step.setting])
            onStep(step.setting)
        }
    }
}

/// The response of `GET /__sandbox/faults`.
struct FaultList: Sendable, Encodable {
    struct Schedule: Sendable, Encodable {
        let seed: UInt64
    }

    /// The syntax of a setting.
    let syntax =
        "{\"on\" or \"once\" or \"off\": SWITCH or [SWITCH, …]}: a SWITCH is " + FaultSetting.syntax
    /// The schedule, or `nil` if faults are only set by requests.
    let schedule: Schedule?
    let faults: [FaultStatus]
}

/// The request of `POST /__sandbox/faults`, such as `{"on": ["delay:seconds=3"], "off": "all"}`.
///
/// Either all of its settings take effect, or none.
struct FaultRequest: Sendable, Equatable {
    /// The settings in the order in which they are applied; those that turn faults off come first.
    let switches: [FaultSetting]

    init(parsing body: [UInt8]) throws(FaultRequestError) {
        guard case .object(let members)? = JSONValue(parsing: body) else { throw .notAnObject }
        if let key = members.keys.sorted().first(where: { Key(rawValue: $0) == nil }) {
            throw .unknownKey(key)
        }
        var switches: [FaultSetting] = []
        for key in Key.allCases {
            guard let value = members[key.rawValue] else { continue }
            if key == .off, value == .string("all") {
                switches += FaultSetting.allOff
                continue
            }
            for text in try Self.texts(value, of: key) {
                do throws(FaultSettingError) {
                    switches.append(try FaultSetting(parsing: text + key.suffix))
                } catch {
                    throw .badSwitch(error)
                }
            }
        }
        guard !switches.isEmpty else { throw .nothingAsked }
        self.switches = switches
    }

    private static func texts(_ value: JSONValue, of key: Key) throws(FaultRequestError) -> [String]
    {
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

        /// The suffix that selects it in a setting.
        var suffix: String { self == .on ? "" : ":\(rawValue)" }
    }
}

/// The reason why no fault was set.
enum FaultRequestError: Error, Sendable, Equatable {
    case notAnObject
    case unknownKey(String)
    case notTexts(String)
    case nothingAsked
    case badSwitch(FaultSettingError)
}

extension FaultRequestError: CustomStringConvertible {
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
