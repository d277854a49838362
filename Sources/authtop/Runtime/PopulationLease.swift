import Basics
import Client
import FoundationEssentials
import Glibc
import Model
import Platform
import Profiles
import UI

/// The claim of a run to the sessions of its users, so that no other run has them at the same time.
struct PopulationLease: Sendable {
    private let file: OwnerFile
    private let shard: UserShard?
    private let run: String
    private let environment: LiveEnvironment
    /// Until when logins and renewals may begin.
    let permit: FlightPermit

    /// - Parameters:
    ///   - file: The file of all claims.
    ///   - shard: The part of the users, or `nil` for all.
    ///   - environment: The environment.
    init(in file: OwnerFile, of shard: UserShard?, in environment: LiveEnvironment) {
        self.file = file
        self.shard = shard
        self.environment = environment
        run = environment.randomBytes(8).hexadecimal
        permit = FlightPermit(
            until: .origin,
            then: VaultProblem(
                message: "the lease of this run is over: another run may have the sessions"
            )
        )
    }

    /// Claims the sessions for the first time.
    ///
    /// - Throws: `CommandFailure` if another run has one of them, or the claim cannot be written.
    func begin() async throws(CommandFailure) {
        let other: Ownership?
        do throws(VaultProblem) {
            other = try await claim()
        } catch {
            throw CommandFailure(.unreachable, "--users: \(error.message)")
        }
        if let other { throw CommandFailure(.unreachable, "--users: \(text(of: other))") }
    }

    /// Claims the sessions again and again, until the calling task is cancelled.
    ///
    /// - Parameter lost: Called once another run has them.
    func keep(_ lost: (String) -> Void) async {
        let time = environment.time
        while (try? await time.sleep(until: time.now + OwnerTable.renewal)) != nil {
            // What cannot be written now may be later; until then, the permit ends by itself.
            let other: Ownership?
            do throws(VaultProblem) {
                other = try await claim()
            } catch {
                permit.explain(error)
                continue
            }
            if let other { return lost(text(of: other)) }
        }
    }

    /// Gives the sessions up, so that the next run need not wait for the end of the lease.
    func release() async {
        permit.extend(to: .origin)
        try? await file.release(run)
    }

    private func claim() async throws(VaultProblem) -> Ownership? {
        let began = environment.time.now
        let other = try await file.claim { [run, shard] now in
            Ownership(
                run: run,
                host: OwnerFile.host,
                process: Int(getpid()),
                part: shard?.number ?? 1,
                partCount: shard?.count ?? 1,
                expiresAt: now.addingTimeInterval(OwnerTable.lease.inSeconds)
            )
        }
        if other == nil { permit.extend(to: began + (OwnerTable.lease - OwnerTable.margin)) }
        return other
    }

    private func text(of other: Ownership) -> String {
        let clock = ClockFormatter(utcOffsetSeconds: environment.utcOffsetSeconds)
        let host = other.host.inOneLine(limit: 64)
        return "process \(other.process) on \(host) has these sessions until "
            + "\(clock.when(other.expiresAt, now: environment.time.wall)), and longer while it runs"
    }
}
