package import Basics
package import Model

extension SessionStatus {
    /// Loads the record into a new machine and reads the resulting state; the machine's effects are
    /// not run.
    ///
    /// - Parameters:
    ///   - record: The stored record, or why it could not be read.
    ///   - machine: A machine for the record's profile.
    ///   - moment: Now.
    package init(
        record: Result<VaultRecord?, VaultProblem>,
        machine: ClientMachine,
        at moment: Moment
    ) {
        var machine = machine
        var session = SessionSnapshot()
        let stored = try? record.get()
        let secrets = KnownSecrets(fingerprinter: machine.fingerprinter)
            .adding(stored?.secrets ?? [])
        for effect in machine.handle(.start, at: moment) {
            if case .emit(let event) = effect { session.apply(event) }
            guard case .loadRecord(let id) = effect else { continue }
            for effect in machine.handle(.recordLoaded(id, record), at: moment) {
                if case .emit(let event) = effect { session.apply(event.hiding(secrets)) }
            }
        }
        let setBack = stored.map { StoredTimes(savedAt: $0.savedAt, now: moment).setBack } ?? 0
        self.init(
            session: session,
            moment: moment,
            pendingRevocations: machine.outbox.entries.count,
            journal: stored?.pair == nil ? nil : stored?.journal,
            family: stored?.pair == nil ? nil : stored?.family,
            clockSetBack: stored?.pair != nil && setBack > 0 ? setBack : nil
        )
    }
}
