import Basics

/// A fault of the sandbox, as the sandbox states it.
package struct SandboxFault: Sendable, Hashable {
    package var name: String
    package var summary: String
    /// `off`, `on`, `once`, `next=3` or `p=0.2`.
    package var state: String
    /// The whole setting, such as `server-error:p=0.2:refresh`.
    package var setting: String
    /// The kinds of exchanges that it can affect.
    package var kinds: [String]
    /// The number that may be set, such as `seconds=0 to 600`.
    package var parameter: String?
    /// How often it has fired.
    package var fired: Int

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
    package var message: String

    package init(_ message: String) {
        self.message = message
    }
}

/// What is known of the faults of a session's sandbox.
package struct KnownFaults: Sendable, Equatable {
    /// As the sandbox stated them last, or `nil` if it has not.
    package internal(set) var faults: [SandboxFault]?
    /// Why it did not state them since.
    package internal(set) var problem: FaultProblem?
    /// The number of requests that are not answered yet.
    var pending = 0
    /// When the last request was made.
    var askedAt: Instant?

    package init() {}

    /// Returns the faults whose name or summary contains a text.
    func matching(_ filter: String) -> [SandboxFault] {
        guard let faults, !filter.isEmpty else { return faults ?? [] }
        let needle = Needle(filter)
        return faults.filter { needle.isIn($0.name) || needle.isIn($0.summary) }
    }
}

/// The list of faults as the user sees it.
package struct FaultChoice: Sendable, Equatable {
    /// The place of the selected fault among those that match the filter.
    package var selected = 0
    package var filter = ""
    /// Whether the filter is being written.
    package var isFiltering = false

    package init() {}
}
