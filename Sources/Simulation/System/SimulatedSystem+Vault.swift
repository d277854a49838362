import Basics
import Client
import Model
import Profiles

/// Each process works on the vault in the order in which its machine decided.
extension SimulatedSystem {
    func advanceVaultLine(_ process: Int) {
        guard !processes[process].vaultLine.isBusy, !processes[process].isSuspended,
            processes[process].isAlive, !processes[process].vaultLine.waiting.isEmpty
        else { return }
        let effect = processes[process].vaultLine.waiting.removeFirst()
        processes[process].vaultLine.isBusy = true
        schedule(
            .vaultTouches(
                process: process,
                incarnation: processes[process].incarnation,
                effect
            ),
            in: random.uniform(scenario.vaultWrite) / 2
        )
    }

    /// The moment at which the record is read or replaced; the process learns of it later.
    func touchVault(_ process: Int, _ effect: SessionEffect) {
        let input: SessionInput
        switch effect {
        case .loadRecord(let id):
            if random.happens(scenario.vaultFaults) {
                observe(.disrupted(.vaultUnreadable), of: process)
                let problem = VaultProblem(.locked, message: "locked")
                input = .recordLoaded(id, .failure(problem))
            } else {
                input = .recordLoaded(id, .success(vault.record))
            }
        case .commit(let id, let commit):
            if random.happens(scenario.vaultFaults) {
                observe(.disrupted(.diskFull), of: process)
                input = .committed(id, .failure(VaultProblem(.full, message: "disk full")))
            } else {
                input = .committed(id, .success(write(commit, by: process)))
            }
        case .checkVault(let id):
            let isFull = random.happens(scenario.vaultFaults)
            input = .vaultChecked(id, isFull ? VaultProblem(.full, message: "disk full") : nil)
        default: return
        }
        guard !isStopped else { return }
        schedule(
            .vaultDone(
                process: process,
                incarnation: processes[process].incarnation,
                input
            ),
            in: random.uniform(scenario.vaultWrite) / 2
        )
    }

    private func write(_ commit: VaultCommit, by process: Int) -> CommitVerdict {
        let old = vault.record
        let verdict = vault.commit(commit)
        guard verdict == .committed else {
            log("may not write: \(RecordText.text(old)) is stored", by: process)
            return verdict
        }
        guard let new = vault.record else { return verdict }
        log("wrote \(RecordText.text(new))", by: process)
        observe(.wrote(VaultWrite(process: process, old: old, new: new)), of: process)
        noticeWrite(by: process)
        return verdict
    }

    func noticeWrite(by process: Int?) {
        guard let delay = scenario.vaultNotice else { return }
        for other in processes.indices where other != process && processes[other].isAlive {
            schedule(
                .input(
                    process: other,
                    incarnation: processes[other].incarnation,
                    .vaultChanged
                ),
                in: random.uniform(delay)
            )
        }
    }

    func deleteRecord() {
        guard vault.record != nil else { return }
        observe(.disrupted(.recordDeleted))
        log("the record is removed", by: nil)
        observe(.recordRemoved(family: vault.record?.family))
        vault.remove()
        noticeWrite(by: nil)
    }

    // MARK: - The flight lock

    func advanceLockLine(_ process: Int) {
        while !processes[process].lockLine.isBusy, !processes[process].isSuspended,
            processes[process].isAlive, !processes[process].lockLine.waiting.isEmpty
        {
            let effect = processes[process].lockLine.waiting.removeFirst()
            let incarnation = processes[process].incarnation
            switch effect {
            case .lockFlight(let id):
                let holder = SimulatedVault.Holder(
                    process: process,
                    incarnation: incarnation,
                    operation: id
                )
                processes[process].lockLine.isBusy = true
                if vault.lock(holder) {
                    grantLock(holder)
                } else {
                    schedule(
                        .input(process: process, incarnation: incarnation, .flightLockHeld(id)),
                        in: 0.000_05
                    )
                    schedule(
                        .lockTimeoutElapses(process: process, incarnation: incarnation, id),
                        in: SimulatedTimeouts.lock
                    )
                }
            case .unlockFlight(let id):
                let owner = SimulatedVault.Holder(
                    process: process,
                    incarnation: incarnation,
                    operation: id
                )
                if let next = vault.unlock(owner) { grantLock(next) }
            default: continue
            }
        }
    }

    func grantLock(_ holder: SimulatedVault.Holder) {
        schedule(
            .lockDone(
                process: holder.process,
                incarnation: holder.incarnation,
                .flightLocked(holder.operation, .success(true))
            ),
            in: 0.000_05
        )
    }

    /// Ends the wait for a lock that is given up, which would hold up those after it.
    func giveUpLock(_ process: Int, _ operation: OperationID) {
        let incarnation = processes[process].incarnation
        let waiter = SimulatedVault.Holder(
            process: process,
            incarnation: incarnation,
            operation: operation
        )
        guard processes[process].lockLine.isBusy, vault.isWaiting(waiter) else { return }
        _ = vault.unlock(waiter)
        schedule(
            .lockDone(
                process: process,
                incarnation: incarnation,
                .flightLocked(operation, .success(false))
            ),
            in: 0.000_05
        )
    }

    func lockWaitTimedOut(_ process: Int, _ operation: OperationID) {
        let waiter = SimulatedVault.Holder(
            process: process,
            incarnation: processes[process].incarnation,
            operation: operation
        )
        guard processes[process].lockLine.isBusy, vault.isWaiting(waiter) else { return }
        observe(.disrupted(.lockTimedOut), of: process)
        _ = vault.unlock(waiter)
        processes[process].lockLine.isBusy = false
        deliver(.flightLocked(operation, .success(false)), to: process, waiter.incarnation)
        advanceLockLine(process)
    }
}
