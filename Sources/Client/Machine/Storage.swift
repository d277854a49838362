import Basics
import FoundationEssentials
import Model
import Profiles

/// The progress of the vault's work that is not done, or could not be.
struct StorageProgress: Sendable {
    /// The pair in use is only in memory: why it could not be written.
    var unsaved: VaultProblem?
    /// A login, a logout or an ending could not be written: what must be stored for the next write
    /// to make up for it.
    var unsavedCondition: VaultCommit.Condition?
    /// In a row.
    var failures = 0
    /// Whether another process changed the vault during a flight.
    var mustReadAgain = false
    /// Whether the pair has changed since the write that is pending.
    var mustSaveAgain = false
    /// The conditions of pending commits that have their own.
    var conditions: [OperationID: VaultCommit.Condition] = [:]
    /// The sessions that a login has replaced that is not stored yet: revoked once it is.
    var replaced: [SessionPair] = []
}

/// Reading and writing the record.
extension ClientMachine {
    /// Between tries to read an unreadable vault, in seconds; the last repeats.
    static let vaultRetries: [Double] = [1, 2, 5, 10]

    mutating func loadAtStart() {
        emit(configuration.capabilities)
        effects.append(.loadRecord(begin(.loadAtStart)))
    }

    /// Tries the vault again, after the user may have freed space, unlocked a keyring or restored a
    /// file.
    mutating func tryVault() {
        if storage.unsaved != nil { save() }
        reloadUnavailableVault()
    }

    /// Reads the record again that could not be read at the start.
    mutating func reloadUnavailableVault() {
        guard case .vaultUnavailable = state else { return }
        timers[.vaultRetry] = nil
        effects.append(.loadRecord(begin(.loadAtStart)))
    }

    /// Reads a changed vault, unless a flight is in progress, which reads it anyway.
    mutating func readAgainAfterFlight() {
        guard storage.mustReadAgain, flight == nil else { return }
        storage.mustReadAgain = false
        guard stage.isLive else { return }
        effects.append(.loadRecord(begin(.loadAfterChange)))
    }

    mutating func recordLoaded(
        _ id: OperationID,
        _ result: Result<VaultRecord?, VaultProblem>
    ) {
        switch operations.end(id) {
        case .loadAtStart?: loadedAtStart(result)
        case .loadAfterChange?:
            // A record that is not written yet is not missing because another process changed it.
            guard stage.isLive, flight == nil, storage.unsavedCondition == nil,
                case .success(let record) = result
            else { return }
            _ = adoptChanges(from: record)
        case .readBeforeLogin(let began, let failure)?: readBeforeLogin(began, failure, result)
        case .readWithoutLock(let number, let failure)?:
            readWithoutLock(number, failure, result)
        case .readBeforeFlight(let number)?: readBeforeFlight(number, result)
        case .readAfterRefusal(let number, let notice)?:
            readAfterRefusal(number, notice, result)
        default: return
        }
    }

    private mutating func loadedAtStart(_ result: Result<VaultRecord?, VaultProblem>) {
        switch state {
        case .cold, .vaultUnavailable: break
        case .signedOut, .signingIn, .fresh, .renewing, .retrying, .blocked, .expired, .unknown,
            .draining, .signingOut:
            return
        }
        switch result {
        case .failure(let problem):
            let delay = Self.vaultRetries[min(storage.failures, Self.vaultRetries.count - 1)]
            storage.failures += 1
            timers[.vaultRetry] = clock.now.advanced(bySeconds: delay)
            move(to: .vaultUnavailable(problem), why: .vault(problem))
            failWaiters(.vaultUnavailable(problem))
        case .success(let record):
            storage.failures = 0
            epoch = record?.epoch ?? 0
            outbox = Outbox(record?.outbox ?? [])
            dropUndeliverable()
            ending = record?.ending
            guard let record, let stored = record.pair else {
                startWithoutSession(savedAt: record?.savedAt)
                sendNextRevocation()
                if let imported = configuration.imported { return importPair(imported) }
                if configuration.logInAtStart { logIn() } else { failWaiters(.signedOut(.never)) }
                return
            }
            resume(stored, record: record)
            sendNextRevocation()
        }
    }

    /// - Parameter savedAt: When the record was saved, if there is one.
    private mutating func startWithoutSession(savedAt: Date?) {
        if let ending, let savedAt {
            let times = StoredTimes(savedAt: savedAt, now: clock)
            let endedAt = times.moment(at: ending.endedAt)
            emit(EndedBefore(ending.reason, at: endedAt, refusal: ending.refusal))
        }
        move(to: .signedOut(.never), why: .nothingStored)
    }

    /// Takes up what is stored.
    ///
    /// - Parameters:
    ///   - stored: The pair.
    ///   - record: Where it is.
    ///   - origin: `adopted` where another process has only just written it.
    mutating func resume(
        _ stored: PairRecord,
        record: VaultRecord,
        origin: PairDescription.Origin = .resumed
    ) {
        countLogin()
        let times = StoredTimes(savedAt: record.savedAt, now: clock)
        if times.setBack > 0 {
            emit(WallClockStepped(seconds: -times.setBack))
        } else {
            server.restore(stored.offset, measuredAt: record.savedAt)
        }
        let pair = SessionPair(stored: stored, family: record.family, times: times)
        publish(
            ScheduledPair(pair: pair, schedule: schedule(pair)),
            origin: origin,
            rotated: false,
            journal: stored.tokens.refresh == nil ? nil : record.journal
        )
    }

    /// The record as the machine has it now.
    func currentRecord(journal: FlightJournal?) -> VaultRecord {
        var record = VaultRecord(
            dialect: configuration.capabilities.dialect,
            baseURL: configuration.capabilities.baseURL,
            family: held?.family ?? "",
            pair: held?.stored(offset: server.offset),
            epoch: epoch,
            savedAt: clock.wall
        )
        record.ending = held == nil ? ending : nil
        record.journal = journal
        record.outbox = outbox.entries
        return record
    }

    /// The journal between flights.
    var settledJournal: FlightJournal? {
        guard let ledger = live?.ledger, ledger.unsettledSends > 0 else { return nil }
        return FlightJournal(
            generation: ledger.pair.generation,
            sends: ledger.unsettledSends,
            preparedAt: clock.wall
        )
    }

    mutating func commit(
        _ record: VaultRecord,
        as operation: Operation,
        condition: VaultCommit.Condition? = nil,
        keepsJournal: Bool = false
    ) {
        let usual = VaultCommit.Condition.sameSession(epoch: record.epoch, family: record.family)
        let id = begin(operation)
        if case .outbox = operation {} else { storage.conditions[id] = condition }
        var commit = VaultCommit(
            record: record,
            condition: condition ?? storage.unsavedCondition ?? usual
        )
        commit.keepsJournal = keepsJournal
        effects.append(.commit(id, commit))
    }

    /// Whether a pair is being written that the machine does not hold yet.
    var isCommittingPair: Bool {
        operations.contains { operation in
            switch operation {
            case .rotation, .refreshTokenOnly, .firstPair: true
            case .loadAtStart, .loadAfterChange, .lockFlight, .authorization, .lockLogin,
                .checkBeforeLogin, .readBeforeLogin, .readBeforeFlight, .readWithoutLock,
                .readAfterRefusal,
                .journal, .tombstone, .save, .outbox, .login, .refresh, .protected, .question,
                .revocation,
                .experiment, .probe:
                false
            }
        }
    }

    mutating func committed(
        _ id: OperationID,
        _ result: Result<CommitVerdict, VaultProblem>
    ) {
        let condition = storage.conditions.removeValue(forKey: id)
        if case .failure = result, let condition { storage.unsavedCondition = condition }
        switch operations.end(id) {
        case .journal(let number)?: journalCommitted(number, result)
        case .rotation(let number, let pair, let rotated)?:
            rotationCommitted(number, pair, rotated: rotated, result)
        case .refreshTokenOnly(let number, let pair, let answer)?:
            refreshTokenCommitted(number, pair, answer, result)
        case .firstPair(let pair)?:
            returnLock()
            firstPairCommitted(pair, result)
        case .tombstone(let end)?: tombstoneCommitted(end, result)
        case .save?: saved(result)
        default: return
        }
    }

    /// Writes what has changed of the pair in use, after the write that is pending.
    mutating func saveChange() {
        storage.mustSaveAgain = isSaving
        save()
    }

    /// Writes again what could not be written, unless that is pending.
    ///
    /// Without the flight lock, the stored journal may be that of another process's flight.
    mutating func save() {
        // A second one could still be pending when another process has logged in.
        guard !isSaving else { return }
        guard !isCommittingPair else {
            timers[.saveRetry] = clock.now.advanced(bySeconds: 1)
            return
        }
        storage.mustSaveAgain = false
        commit(
            currentRecord(journal: settledJournal),
            as: .save,
            keepsJournal: flightLock.keptUntilSaved == nil
        )
    }

    private var isSaving: Bool {
        operations.contains { operation in
            if case .save = operation { true } else { false }
        }
    }

    mutating func recordUnsaved(_ problem: VaultProblem) {
        storage.unsaved = problem
        emit(PairUnsaved(problem))
        let delay = Self.vaultRetries[min(storage.failures, Self.vaultRetries.count - 1)]
        storage.failures += 1
        timers[.saveRetry] = clock.now.advanced(bySeconds: delay)
        if storage.failures > 1 { finish(.saved(problem)) }
        finish(.sendOutbox(.unsaved(problem)))
        if isLoginWaitingForLock { loginFailed(RefreshFailure(.unstorable(problem))) }
    }

    mutating func recordSaved() {
        storage.unsaved = nil
        storage.unsavedCondition = nil
        timers[.saveRetry] = nil
    }

    /// Queues the revocation of a pair that was never written and whose session is not the stored
    /// one.
    mutating func revokeOrphan(unless stored: String?) {
        guard let held, stored != held.family else { return }
        queueRevocation(of: held)
    }

    private mutating func saved(_ result: Result<CommitVerdict, VaultProblem>) {
        // The renewal that was put off for it begins now; one that a timer is set for keeps its
        // time.
        let isAwaited = renewalPlan == .held(.unsaved)
        switch result {
        case .failure(let problem):
            recordUnsaved(problem)
        case .success(.superseded(let record)):
            if storage.unsaved != nil {
                revokeOrphan(unless: record?.pair == nil ? nil : record?.family)
            }
            recordSaved()
            let isFollowed = stage.isLive && flight == nil && adoptChanges(from: record)
            returnLock()
            if isAwaited, !isFollowed, !isHeldBack(.timer) { beginFlight(.timer) }
        case .success(.committed), .success(.erased):
            let wasUnsaved = storage.unsaved != nil
            recordSaved()
            revokeReplaced()
            returnLock()
            if storage.mustSaveAgain { save() }
            guard wasUnsaved else { return }
            storage.failures = 0
            emit(PairSaved())
            if isAwaited, !isHeldBack(.timer) { beginFlight(.timer) }
        }
    }
}
