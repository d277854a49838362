import Basics

/// A fault of the sandbox, as the sandbox states it.
package struct SandboxFault: Sendable, Hashable {
    var name: String
    var summary: String
    /// `off`, `on`, `once`, `next=3` or `p=0.2`.
    var state: String
    /// The whole setting, such as `server-error:p=0.2:refresh`.
    package var setting: String
    /// The kinds of exchanges that it can affect.
    var kinds: [String]
    /// The number that may be set, such as `seconds=0 to 600`.
    var parameter: String?
    /// How often it has fired.
    var fired: Int

    package init(
        name: String,
        summary: String,
        state: String,
        setting: String? = nil,
        kinds: [String],
        parameter: String? = nil,
        fired: Int
    ) {
        self.name = name
        self.summary = summary
        self.state = state
        self.setting = setting ?? name
        self.kinds = kinds
        self.parameter = parameter
        self.fired = fired
    }

    package var isOff: Bool { state == "off" }
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

/// What is known of the faults of a session's sandbox.
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

    /// Returns the faults whose name or summary contains a text.
    func matching(_ filter: String) -> [SandboxFault] {
        guard let faults, !filter.isEmpty else { return faults ?? [] }
        let needle = Needle(filter)
        return faults.filter { needle.isIn($0.name) || needle.isIn($0.summary) }
    }
}

/// The list of faults as the user sees it.
struct FaultChoice: Sendable, Equatable {
    /// The place of the selected fault among those that match the filter.
    var selected = 0
    var filter = ""
    /// Whether the filter is being written.
    var isFiltering = false

    init() {}
}
