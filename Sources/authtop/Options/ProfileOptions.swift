import ArgumentParser

/// The profile, its backend, and the locations of its credentials and its session.
struct ProfileOptions: ParsableArguments {
    @Argument(
        help: "The profile: \(DialectCatalogue.builtInNames), or a file of your own.",
        completion: .profiles
    )
    var profile: String

    @OptionGroup var connection: ConnectionOptions

    /// Returns the profile with these options applied.
    func profile(in environment: LiveEnvironment) async throws -> ChosenProfile {
        try await connection.profile(named: profile, in: environment)
    }

    /// Returns the same profile, after removing its expired data.
    func openedProfile(in environment: LiveEnvironment) async throws -> ChosenProfile {
        try await connection.openedProfile(named: profile, in: environment)
    }

    /// Returns the same profile; fails if its session would not outlive the program.
    func storedProfile(in environment: LiveEnvironment) async throws -> ChosenProfile {
        try await connection.storedProfile(named: profile, in: environment)
    }
}
