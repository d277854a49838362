import Basics
import Model

/// The work on the vault and on its lock, each in the order in which it was decided.
extension SessionStore {
    /// The request of a lock that has not been answered yet.
    enum LockRequest {
        /// Others come first.
        case waiting
        case running(Task<Void, Never>)
        case givenUp
    }

    /// Runs the effects on the lock in the order in which they were decided, except that giving up a lock
    /// that is waited for ends the wait at once.
    func runLockWork() async {
        for await effect in lockWork {
            guard case .lockFlight(let id) = effect else {
                await perform(effect)
                continue
            }
            guard case .waiting? = lockRequests[id] else {
                lockRequests[id] = nil
                step(.flightLocked(id, .success(false)))
                continue
            }
            let task = Task { await perform(effect) }
            lockRequests[id] = .running(task)
            await withTaskCancellationHandler {
                await task.value
            } onCancel: {
                task.cancel()
            }
            lockRequests[id] = nil
        }
    }

    func giveUpLock(_ id: OperationID) {
        switch lockRequests[id] {
        case .waiting: lockRequests[id] = .givenUp
        case .running(let task): task.cancel()
        case .givenUp, nil: break
        }
    }

    func runVaultWork() async {
        for await effect in vaultWork {
            await perform(effect)
            vaultWorkLeft -= 1
            if vaultWorkLeft == 0 { resumeWriteWaiters() }
            resumeLeavers()
        }
    }

    func observeChanges(_ changes: AsyncStream<Void>) async {
        for await _ in changes { step(.vaultChanged) }
    }

    /// Waits until everything decided so far has been written, or has failed to be.
    package func flushWrites() async {
        guard vaultWorkLeft > 0, !isFinished else { return }
        await withCheckedContinuation { writeWaiters.append($0) }
    }

    func resumeWriteWaiters() {
        for waiter in writeWaiters { waiter.resume() }
        writeWaiters = []
    }

    /// Takes the flight lock, once there is a place among the logins and renewals of the run; gives
    /// the place back if there is no lock.
    ///
    /// - Returns: What came of it, for the machine.
    func lockFlight(_ holder: OperationID) async -> SessionInput {
        guard await enterFlight(holder) else { return withoutLock(holder) }
        do throws(VaultProblem) {
            let isLocked = try await environment.vault.lockFlight(
                holder: holder,
                timeout: Self.lockTimeout,
                whenHeld: {
                    // Others need not wait for another process, too.
                    await leaveFlight(holder)
                    await perform(.input(.flightLockHeld(holder, by: $0)))
                }
            )
            // Also after a wait.
            if isLocked, await enterFlight(holder) { return .flightLocked(holder, .success(true)) }
            if isLocked { await environment.vault.unlockFlight(holder: holder) }
            leaveFlight(holder)
            return isLocked ? withoutLock(holder) : .flightLocked(holder, .success(false))
        } catch {
            leaveFlight(holder)
            return .flightLocked(holder, .failure(error))
        }
    }

    private func withoutLock(_ holder: OperationID) -> SessionInput {
        let problem = environment.admission?.problem(at: environment.time.now)
        return problem.map { .flightRefused(holder, $0) } ?? .flightLocked(holder, .success(false))
    }

    /// Waits for a place, unless it has one.
    ///
    /// - Returns: `false` if the lock is given up before, or another run may have the session.
    private func enterFlight(_ holder: OperationID) async -> Bool {
        guard let admission = environment.admission else { return true }
        if flightPlaces[holder] == nil {
            guard let place = await admission.enter(machine.flightUrgency) else { return false }
            flightPlaces[holder] = place
        }
        guard admission.problem(at: environment.time.now) != nil else { return true }
        leaveFlight(holder)
        return false
    }

    func leaveFlight(_ holder: OperationID) {
        guard let place = flightPlaces.removeValue(forKey: holder) else { return }
        environment.admission?.leave(place)
    }

    func loadRecord() async -> Result<VaultRecord?, VaultProblem> {
        do throws(VaultProblem) {
            let record = try await environment.vault.load()
            registerSecrets { $0.register(record, at: $1) }
            return .success(record)
        } catch {
            return .failure(error)
        }
    }

    func commit(_ commit: VaultCommit) async -> Result<CommitVerdict, VaultProblem> {
        do throws(VaultProblem) {
            let verdict = try await environment.vault.commit(commit)
            if case .superseded(let record) = verdict {
                registerSecrets { $0.register(record, at: $1) }
            }
            return .success(verdict)
        } catch {
            return .failure(error)
        }
    }

    func checkVault() async -> VaultProblem? {
        do throws(VaultProblem) {
            try await environment.vault.check()
            return nil
        } catch {
            return error
        }
    }
}
