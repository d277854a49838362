import Basics
import FoundationEssentials
import Model
import Profiles
import Testing

@testable import Client

@Suite("ClientMachine: answers that bring a refresh token alone")
struct SessionRefreshTokenOnlyTests {
    /// A session whose renewals are answered like this; a spent token that is sent again ends it.
    private static func answering(
        _ faults: [ScriptedBackend.Fault],
        lifetime: Double = 900
    ) -> MachineHarness {
        let harness = MachineHarness.signedIn {
            $0.accessLifetime = lifetime
            $0.revokesOnReuse = true
        }
        harness.backend.refreshFaults = faults
        harness.advanceToSoft()
        harness.advance(0.3)
        return harness
    }

    @Test(
        "the refresh token is stored and sent next, whatever the status",
        arguments: [200, 400, 401, 403, 422, 429, 500, 503]
    )
    func kept(status: Int) {
        let harness = Self.answering([.refreshTokenOnly(status)])
        #expect(harness.refreshToken?.secret.reveal() == "REFRESH-secret-of-1-2")
        #expect(harness.generation == 2)
        let stored = harness.vault.record?.pair
        #expect(stored?.tokens.refresh == harness.refreshToken && stored?.generation == 2)
        #expect(harness.vault.record?.journal == nil)
        #expect(harness.state.name == "retrying")
        #expect(harness.outlook?.failure.status == status)
        guard case .refreshTokenOnly? = harness.outlook?.failure.cause else {
            Issue.record("\(String(describing: harness.outlook?.failure))")
            return
        }
        harness.advance(until: { $0.state == .fresh })
        #expect(harness.generation == 3)
        #expect(
            harness.refreshes.map { $0.token.secret.reveal() } == [
                "REFRESH-secret-of-1-1", "REFRESH-secret-of-1-2",
            ]
        )
        #expect(harness.started.last == .retry)
        #expect(harness.signedOutReasons.isEmpty)
    }

    @Test("the access token stays in use with its own end, and the pair says so")
    func access() {
        let harness = Self.answering([.refreshTokenOnly(500)])
        let pairs = harness.pairs.suffix(2)
        #expect(pairs.first?.access?.fingerprint == pairs.last?.access?.fingerprint)
        #expect(pairs.first?.accessExpiry == pairs.last?.accessExpiry)
        #expect(pairs.first?.issuedAt == pairs.last?.issuedAt)
        #expect(pairs.last?.keepsAccess == true && pairs.last?.rotated == true)
        #expect(pairs.first?.keepsAccess == false)
        harness.request(1)
        harness.advance(0.3)
        #expect(harness.finished[1] == [.accepted(status: 200)])
    }

    @Test("a token that had been sent without an answer is settled by it")
    func settles() {
        let harness = MachineHarness.signedIn {
            $0.accessLifetime = 900
            $0.grace = 60
        }
        harness.backend.refreshFaults = [.lostRequest, .refreshTokenOnly(500)]
        harness.advanceToSoft()
        harness.advance(until: { $0.generation == 2 })
        #expect(harness.state.name == "retrying")
        #expect(harness.recovered == [.lost])
        #expect(harness.vault.record?.journal == nil)
        harness.advance(until: { $0.state == .fresh })
        #expect(harness.generation == 3)
    }

    @Test("tries become rarer while nothing else comes")
    func backsOff() {
        let faults = Array(repeating: ScriptedBackend.Fault.refreshTokenOnly(500), count: 60)
        let harness = Self.answering(faults, lifetime: 60)
        harness.advance(600)
        #expect(harness.refreshes.count < 40)
        #expect(Set(harness.refreshes.map(\.token)).count == harness.refreshes.count)
        #expect(harness.signedOutReasons.isEmpty)
    }

    @Test("the wait that the server asks for is kept")
    func retryAfter() {
        let harness = Self.answering([.refreshTokenOnly(503, retryAfter: .seconds(40))])
        let answered = harness.now
        harness.advance(until: { $0.refreshes.count == 2 })
        #expect(harness.now - answered >= 39)
    }

    @Test("a full disk keeps it in memory until it is stored")
    func unsaved() {
        let harness = MachineHarness.signedIn { $0.accessLifetime = 900 }
        harness.backend.refreshFaults = [.refreshTokenOnly(500)]
        harness.advanceToSoft()
        harness.vault.writeProblem = VaultProblem(.full, message: "no space is left")
        harness.advance(0.3)
        #expect(harness.refreshToken?.secret.reveal() == "REFRESH-secret-of-1-2")
        harness.vault.writeProblem = nil
        harness.advance(until: { $0.vault.record?.pair?.generation == 2 })
        #expect(harness.vault.record?.pair?.tokens.refresh == harness.refreshToken)
        harness.advance(until: { $0.state == .fresh })
        #expect(harness.signedOutReasons.isEmpty)
    }

    @Test("one that comes after a logout is revoked")
    func stray() {
        let harness = MachineHarness.signedIn { $0.accessLifetime = 900 }
        harness.backend.refreshFaults = [.refreshTokenOnly(500)]
        harness.advanceToSoft()
        harness.send(.logOut(.this))
        harness.advance(5)
        #expect(
            harness.revocations.contains {
                $0.entry.refresh?.secret.reveal() == "REFRESH-secret-of-1-2"
            }
        )
    }

    @Test("another process takes it over, and tries in its turn instead of at once")
    func adopted() {
        let harness = MachineHarness.signedIn { $0.accessLifetime = 900 }
        var record = harness.vault.record
        record?.pair?.generation = 2
        record?.pair?.tokens.refresh = RefreshToken(Secret("REFRESH-of-another-process"))
        harness.vault.record = record
        harness.advanceToSoft()
        harness.settle()
        #expect(harness.refreshToken?.secret.reveal() == "REFRESH-of-another-process")
        #expect(harness.generation == 2)
        #expect(harness.refreshes.isEmpty)
        #expect(harness.state.name == "retrying")
        #expect(harness.pairs.last?.origin == .adopted && harness.pairs.last?.keepsAccess == true)
        harness.advance(until: { !$0.refreshes.isEmpty })
        #expect(harness.refreshes.map(\.token) == [harness.refreshToken])
    }

    @Test(
        "one that is taken over before a renewal is due changes nothing else",
        arguments: [0, 308.0]
    )
    func adoptedEarly(step: Double) {
        let harness = MachineHarness.signedIn { $0.accessLifetime = 900 }
        let due = harness.machine.schedule?.refreshAt
        let end = harness.machine.held?.access?.at
        harness.stepWall(step)
        var record = harness.vault.record
        record?.pair?.generation = 2
        record?.pair?.tokens.refresh = RefreshToken(Secret("REFRESH-of-another-process"))
        harness.vault.record = record
        harness.send(.vaultChanged)
        harness.settle()
        #expect(harness.refreshToken?.secret.reveal() == "REFRESH-of-another-process")
        #expect(harness.state == .fresh)
        #expect(harness.machine.schedule?.refreshAt == due)
        #expect(harness.machine.held?.access?.at == end)
        #expect(harness.failures.isEmpty)
    }
}
