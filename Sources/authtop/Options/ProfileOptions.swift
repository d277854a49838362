import ArgumentParser

/// Which profile, on which backend, and where its credentials and its session are.
struct ProfileOptions: ParsableArguments {
    @Argument(
        help: "The profile: \(DialectCatalogue.builtInNames), or a file of your own.",
        completion: .profiles
    )
    var profile: String

    @OptionGroup var connection: ConnectionOptions

    /// What all of it means here.
    func profile(in environment: LiveEnvironment) throws -> ChosenProfile {
        try connection.profile(named: profile, in: environment)
    }

    /// The same, and what is too old of it is gone.
    func openedProfile(in environment: LiveEnvironment) async throws -> ChosenProfile {
        try await connection.openedProfile(named: profile, in: environment)
    }

    /// The same, where only a session that outlasts the program makes sense.
    func storedProfile(in environment: LiveEnvironment) async throws -> ChosenProfile {
        try await connection.storedProfile(named: profile, in: environment)
    }
}
