import Dialects
import Lifecycle

extension ChosenProfile {
    /// Notifies the backend what a record says that it has not been notified of yet.
    ///
    /// - Parameters:
    ///   - record: What is stored.
    ///   - endsSession: Whether its session ends with it.
    ///   - environment: The world.
    /// - Returns: What became of it, as text.
    /// - Throws: `CommandFailure` where it could not be begun.
    func revokeAtBackend(
        of record: VaultRecord,
        endingSession endsSession: Bool,
        in environment: LiveEnvironment
    ) async throws -> String {
        // Nobody is asked, and no program is run, for what a logout does not need.
        let names = dialect.clientCredentials
        let specs = dialect.credentials.filter { names.contains($0.name) }
        let run = OperationRun(
            chosen: self,
            credentials: try await credentials.findWithoutAsking(specs),
            printsEvents: false,
            log: nil,
            environment: environment
        )
        return try await run.message(
            of: OutboxOperation(owed: record.outbox.count, endsSession: endsSession)
        )
    }
}
