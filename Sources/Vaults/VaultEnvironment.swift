package import Timekeeping

/// What a vault needs of the environment.
package struct VaultEnvironment: Sendable {
    package var time: any Timekeeper
    /// The environment: where programs are, and how they reach their services.
    package var variables: [String: String]

    package init(time: any Timekeeper, variables: [String: String]) {
        self.time = time
        self.variables = variables
    }
}
