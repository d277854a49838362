import Basics
import Model
import Profiles
import Testing

@testable import Client

@Suite("ClientMachine: what holds the next renewal back, and what lets it go")
struct RenewalHoldTests {
    @Test("a pair whose token ends before it is stored is renewed once it is")
    func unsavedPair() {
        let harness = MachineHarness.signedIn {
            $0.statement = .fixed(MachineHarness.epoch + 60)
            $0.refreshLifetime = nil
        }
        harness.advance(until: { $0.refreshes.count == 2 })
        harness.vault.writeProblem = VaultProblem(message: "disk full")
        harness.advance(until: { $0.generation == 3 })
        // A pair whose renewal would not bring a later end is not renewed before that.
        harness.advance(until: { $0.state.name == "expired" })
        #expect(harness.toldPlan == .held(.unsaved))
        harness.vault.writeProblem = nil
        harness.advance(until: { $0.refreshes.count == 3 })
        #expect(harness.refreshes.last?.cause == .timer)
    }

    @Test("a pair that is stored while the breaker is open is renewed when that closes")
    func storedWhileBreakerIsOpen() throws {
        let harness = MachineHarness.signedIn()
        harness.bring(to: "unsaved")
        harness.backend.endAccessTokens()
        for request in 1...6 {
            harness.request(request)
            harness.advance(0.5)
        }
        let openUntil = try #require(harness.machine.flags.breakerOpenUntil)
        harness.vault.writeProblem = nil
        harness.advance(until: { $0.has("saved") })
        #expect(harness.moment.now < openUntil)
        harness.advance(until: { $0.refreshes.count == 2 })
        #expect(harness.moment.now >= openUntil)
    }

    @Test("a renewal that waits for a write does not begin during a pause")
    func storedDuringPause() {
        let harness = MachineHarness.signedIn()
        harness.bring(to: "unsaved")
        harness.advanceToSoft()
        #expect(harness.toldPlan == .held(.unsaved))
        harness.send(.setPaused(.timer))
        #expect(harness.toldPlan == .held(.paused))
        harness.vault.writeProblem = nil
        harness.advance(until: { $0.has("saved") })
        harness.advance(60)
        #expect(harness.refreshes.count == 1)
        harness.send(.setPaused(nil))
        harness.advance(1)
        #expect(harness.refreshes.count == 2)
    }

    @Test("a write that succeeds late does not bring the next try forward")
    func storedBeforeRetry() throws {
        let harness = MachineHarness.signedIn { $0.accessLifetime = 3_600 }
        harness.backend.refreshFaults = [.notSent]
        harness.advanceToSoft()
        harness.advance(0.1)
        harness.vault.writeProblem = VaultProblem(message: "disk full")
        harness.advance(until: { $0.state.name == "retrying" })
        let renewsAt = try #require(harness.toldPlan?.renewsAt)
        harness.advance(0.5)
        harness.vault.writeProblem = nil
        harness.advance(until: { $0.refreshes.count == 2 }, atMost: 600)
        #expect(harness.moment.now >= renewsAt)
    }

    @Test("during a pause by the background, a request renews the token once that has ended")
    func background() {
        let harness = MachineHarness.signedIn()
        harness.send(.setPaused(.timer, by: .background))
        #expect(harness.toldPlan == .held(.paused))
        harness.advance(100)
        #expect(harness.toldPlan == .held(.use))
        harness.send(.setPaused(.timer))
        #expect(harness.toldPlan == .held(.paused))
        harness.send(.setPaused(.all))
        #expect(harness.toldPlan == .held(.user))
    }

    @Test("the end of a pause begins what is due, although the breaker is open")
    func resumedWhileBreakerIsOpen() throws {
        let harness = MachineHarness.signedIn { $0.accessLifetime = 30 }
        for request in 1...3 {
            harness.backend.endAccessTokens()
            harness.request(request)
            harness.advance(1)
        }
        let openUntil = try #require(harness.machine.flags.breakerOpenUntil)
        harness.send(.setPaused(.timer))
        harness.advanceToSoft()
        #expect(harness.moment.now < openUntil)
        let refreshes = harness.refreshes.count
        harness.send(.setPaused(nil))
        harness.advance(1)
        #expect(harness.refreshes.count == refreshes + 1)
    }

    @Test("a login in the place of another user's session announces its own renewal")
    func replacedUser() throws {
        let harness = MachineHarness.signedIn()
        harness.bring(to: "expired")
        harness.backend.isUnreachable = false
        harness.backend.subject = "u2"
        harness.backend.accessLifetime = -5
        harness.send(.logIn)
        harness.advance(until: { $0.machine.held?.subject == "u2" })
        #expect(harness.snapshot.renewalPlan == .underWay)
        #expect(harness.snapshot.renewalPlan == harness.machine.renewalPlan)
    }

    @Test("of a try and a last use of the refresh token that a sleep missed, the first begins")
    func missedInOrder() throws {
        let harness = MachineHarness.signedIn { $0.refreshLifetime = 300 }
        harness.backend.isUnreachable = true
        harness.advance(until: { $0.state.name == "expired" })
        #expect(harness.toldPlan?.reason == .retry)
        harness.sleep(600)
        harness.backend.isUnreachable = false
        harness.send(.tick)
        harness.advance(until: { $0.refreshes.last?.at == $0.now })
        #expect(harness.refreshes.last?.cause == .retry)
    }

    @Test("a refresh token that is refused to another process ends the probe for its renewal")
    func refusedWhileProbing() throws {
        let harness = MachineHarness.signedIn { $0.accessLifetime = 3_600 }
        harness.sleep(3_400)
        harness.send(.tick)
        #expect(harness.toldPlan == .underWay)
        harness.vault.record?.pair?.tokens.refresh = nil
        harness.vault.record?.pair?.ending = .revoked
        harness.send(.vaultChanged)
        harness.advance(until: { $0.state.name == "draining" })
        #expect(harness.toldPlan == .impossible(.revoked))
        harness.advance(10)
        #expect(harness.probes.isEmpty)
    }
}
