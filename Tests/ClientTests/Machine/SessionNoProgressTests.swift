import Basics
import FoundationEssentials
import Model
import Profiles
import Testing

@testable import Client

@Suite("ClientMachine: renewals that gain nothing")
struct SessionNoProgressTests {
    @Test("an end that does not move slows the renewals down")
    func sameEnd() {
        let harness = MachineHarness.signedIn {
            $0.statement = .fixed(MachineHarness.epoch + 60)
            $0.refreshLifetime = nil
        }
        harness.advance(3600)
        #expect(harness.has("noProgress"))
        #expect(harness.refreshes.count < 40)
        #expect(harness.state.isLive)
        #expect(harness.signedOutReasons.isEmpty)
    }

    @Test(
        "tokens that are dead on arrival are renewed ever more seldom",
        arguments: [-3600.0, -60, -1, 0]
    )
    func deadOnArrival(lifetime: Double) {
        let harness = MachineHarness.signedIn {
            $0.accessLifetime = lifetime
            $0.refreshLifetime = nil
        }
        harness.advance(3600)
        #expect(harness.refreshes.count < 40)
        #expect(harness.protectedSends.isEmpty)
        #expect(harness.state.isLive)
        #expect(harness.machine.nextDeadline != nil)
    }

    @Test("nor do processes that share a session drive each other", arguments: [-60.0, 0])
    func deadOnArrivalForAll(lifetime: Double) {
        let harness = MachineHarness.signedIn {
            $0.accessLifetime = lifetime
            $0.refreshLifetime = nil
        }
        for _ in 0..<60 {
            harness.siblingRenews()
            harness.send(.vaultChanged)
            harness.advance(1)
        }
        #expect(harness.count("adopted") > 50)
        #expect(harness.refreshes.count < 10)
        #expect(harness.state.isLive)
    }

    @Test("a server clock that is far behind does not make a loop", arguments: [-3600.0, 3600])
    func skewed(ahead: Double) {
        let harness = MachineHarness.signedIn {
            $0.statement = .webTokenExpiry
            $0.ahead = ahead
            $0.refreshLifetime = nil
        }
        harness.advance(3600)
        #expect(harness.refreshes.count <= 3600 / 40)
        #expect(harness.refreshes.count >= 3600 / 60 - 2)
        for (at, token) in harness.protectedSends {
            #expect(
                harness.backend.accessEnds[token.secret.reveal()] ?? 0 > MachineHarness.epoch + at
            )
        }
    }

    @Test("once tokens live again, the usual rhythm is back")
    func recovers() {
        let harness = MachineHarness.signedIn {
            $0.accessLifetime = -5
            $0.refreshLifetime = nil
        }
        harness.advance(30)
        harness.backend.accessLifetime = 60
        harness.advance(120)
        #expect(harness.state == .fresh)
        let before = harness.refreshes.count
        harness.advance(480)
        #expect((9...11).contains(harness.refreshes.count - before))
    }

    @Test("a renewal that the user requested is no sign of a loop")
    func byUser() {
        let harness = MachineHarness.signedIn()
        for _ in 0..<5 {
            harness.send(.refreshNow)
            harness.advance(0.5)
        }
        #expect(!harness.has("noProgress"))
        #expect(harness.refreshes.count == 5)
    }

    @Test(
        "a token that replaces one that was refused soon after it was issued ends that much later",
        arguments: [2.0, 5, 100]
    )
    func refused(age: Double) {
        let harness = MachineHarness.signedIn {
            $0.accessLifetime = 3600
            $0.refreshLifetime = nil
        }
        harness.advance(age)
        harness.backend.endAccessTokens()
        harness.request(1)
        harness.advance(2)
        #expect(harness.refreshes.map(\.cause) == [.unauthorized])
        #expect(harness.state == .fresh)
        #expect(!harness.has("noProgress"))
    }

    @Test("logging out everywhere does not insist on tokens that are dead on arrival")
    func logoutEverywhere() {
        let harness = MachineHarness.signedIn {
            $0.accessLifetime = -5
            $0.refreshLifetime = nil
        }
        harness.send(.logOut(.everywhere))
        harness.advance(60)
        #expect(harness.refreshes.count < 10)
    }

    @Test(
        "dead tokens whose refresh token a sibling saw refused are an end, slowed or paused",
        arguments: [false, true]
    )
    func siblingWasRefused(isPaused: Bool) {
        let harness = MachineHarness.signedIn {
            $0.accessLifetime = -5
            $0.refreshLifetime = nil
        }
        harness.advance(30)
        harness.send(.setPaused(isPaused ? .timer : nil))
        #expect(harness.state.name == "expired")
        harness.vault.record?.pair?.generation += 1
        harness.vault.record?.pair?.tokens.refresh = nil
        harness.vault.record?.pair?.ending = .consumeWithoutReturn
        harness.send(.vaultChanged)
        harness.advance(0.1)
        #expect(harness.state == .signedOut(.consumeWithoutReturn))
    }
}
