import ArgumentParser
import Profiles

/// The stored session of an operation, and its log.
struct OperationOptions: ParsableArguments {
    @OptionGroup var profile: ProfileOptions

    @OptionGroup(title: "Log") var log: LogOptions

    /// Returns a run on the stored session, with the credentials that are available without the
    /// user.
    ///
    /// - Parameters:
    ///   - printsEvents: Whether to print events in place of text.
    ///   - isLasting: Whether the run is as long as its user wants, so that it has a use for a session
    ///     which ends with it.
    /// - Returns: The run, which has not started.
    /// - Throws: `CommandFailure` if an option, the profile or a credential is invalid.
    func run(printsEvents: Bool, isLasting: Bool = false) async throws -> OperationRun {
        let environment = LiveEnvironment()
        let chosen =
            isLasting
            ? try await profile.openedProfile(in: environment)
            : try await profile.storedProfile(in: environment)
        return try await OperationRun(
            on: chosen,
            printsEvents: printsEvents,
            log: log,
            in: environment
        )
    }
}

extension OperationRun {
    /// Creates a run on a stored session, with the credentials that are available without the user.
    init(
        on chosen: ChosenProfile,
        printsEvents: Bool,
        log: LogOptions,
        in environment: LiveEnvironment
    ) async throws {
        let eventLog = try log.eventLog(of: chosen)
        self.init(
            chosen: chosen,
            credentials: try await chosen.credentials.findWithoutAsking(
                chosen.dialect.credentials
            ),
            printsEvents: printsEvents,
            log: eventLog,
            environment: environment
        )
    }
}
