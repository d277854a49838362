import Dialects
import Lifecycle

extension ChosenProfile {
    /// Tells the backend what a record says that it has yet to be told.
    ///
    /// - Parameters:
    ///   - record: What is stored.
    ///   - endsSession: Whether its session ends with it.
    ///   - environment: The world.
    /// - Returns: What became of it, in words.
    /// - Throws: `CommandFailure` where it could not be begun.
    func tellBackend(
        of record: VaultRecord,
        endingSession endsSession: Bool,
        in environment: LiveEnvironment
    ) async throws -> String {
        // Nobody is asked, and no program is run, for what a logout does not need.
        let names = dialect.clientCredentials
        let specs = dialect.credentials.filter { names.contains($0.name) }
        let run = ActRun(
            chosen: self,
            credentials: try await credentials.findWithoutAsking(specs),
            printsEvents: false,
            log: nil,
            environment: environment
        )
        return try await run.words(
            of: OutboxAct(owed: record.outbox.count, endsSession: endsSession)
        )
    }
}
