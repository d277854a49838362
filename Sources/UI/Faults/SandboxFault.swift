import Basics
package import Model

/// A fault of the sandbox, as the sandbox states it.
package struct SandboxFault: Sendable, Hashable {
    package var setting: FaultSetting
    /// The number of times that it has fired.
    var fired: Int

    package init(setting: FaultSetting, fired: Int) {
        self.setting = setting
        self.fired = fired
    }

    var fault: Fault { setting.fault }
    package var isOff: Bool { setting.state == .off }
}

/// A request to the sandbox about its faults, which answers each with all of them.
package enum FaultRequest: Sendable, Hashable {
    case read
    case once(String)
    case on(String)
    case off(String)
    case allOff
}

/// Why the sandbox did not state its faults, as a message for the user.
package struct FaultProblem: Error, Sendable, Hashable {
    var message: String

    package init(_ message: String) {
        self.message = message
    }
}

/// The state of the faults of a session's sandbox.
struct KnownFaults: Sendable, Equatable {
    /// As the sandbox stated them last, or `nil` if it has not.
    var faults: [SandboxFault]?
    /// Why it did not state them since.
    var problem: FaultProblem?
    /// The number of requests that are not answered yet.
    var pending = 0
    /// When the last request was made.
    var askedAt: Instant?

    init() {}
}
