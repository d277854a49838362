import ArgumentParser
import Dialects

/// Which stored session an action is done on, and where it is logged.
struct OperationOptions: ParsableArguments {
    @OptionGroup var profile: ProfileOptions

    @OptionGroup(title: "Log") var log: LogOptions

    /// A run on the stored session, with the credentials that need no person.
    ///
    /// - Parameter printsEvents: Whether the events are the result, instead of words.
    /// - Returns: The run, which has not begun.
    /// - Throws: `CommandFailure` where an option, the profile or a credential is not right.
    func run(printsEvents: Bool) async throws -> OperationRun {
        let environment = LiveEnvironment()
        let chosen = try await profile.storedProfile(in: environment)
        return try await OperationRun(
            on: chosen,
            printsEvents: printsEvents,
            log: log,
            in: environment
        )
    }
}

extension OperationRun {
    /// A run on a stored session, with the credentials that need no person.
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
