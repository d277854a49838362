import Backend
import Synchronization
import Timekeeping
import Tokens

/// Switching faults, and what is told of them.
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

    /// What the feed does at a moment of a socket's life.
    func decision(at moment: FeedMoment) -> FeedDecision {
        locked.withLock { $0.faultController.decision(at: moment, drawing: &$0.random) }
    }

    /// Switches faults by a schedule until the caller is cancelled.
    ///
    /// - Parameters:
    ///   - schedule: Its steps are counted from now on.
    ///   - onStep: Told each setting once it holds.
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

/// What `GET /__sandbox/faults` answers.
struct FaultList: Sendable, Encodable {
    struct Schedule: Sendable, Encodable {
        let seed: UInt64
    }

    /// How to write a switch.
    let syntax =
        "{\"on\" or \"once\" or \"off\": SWITCH or [SWITCH, …]}: a SWITCH is " + FaultSetting.syntax
    /// `nil` when nothing switches them but people.
    let schedule: Schedule?
    let faults: [FaultStatus]
}

/// What `POST /__sandbox/faults` asks for, such as `{"on": ["delay:seconds=3"], "off": "all"}`.
///
/// All of it holds, or nothing does.
struct FaultRequest: Sendable, Equatable {
    /// In the order in which they are to be set: what is switched off comes first.
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

        /// The word that stands for it in a switch.
        var suffix: String { self == .on ? "" : ":\(rawValue)" }
    }
}

/// Why no fault was set.
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
