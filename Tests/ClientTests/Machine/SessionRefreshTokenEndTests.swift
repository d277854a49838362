import Basics
import Model
import Profiles
import Testing

@testable import Client

@Suite("ClientMachine: the refresh token's end")
struct SessionRefreshTokenEndTests {
    private static let day = 86_400.0

    @Test("a refresh token that ends before the access token is renewed a day ahead")
    func longLives() {
        let harness = MachineHarness.signedIn {
            $0.accessLifetime = 30 * Self.day
            $0.refreshLifetime = 30 * Self.day
        }
        harness.advance(29 * Self.day - 1)
        #expect(harness.refreshes.isEmpty)
        harness.advance(10)
        #expect(harness.refreshes.count == 1)
        #expect(harness.generation == 2)
        harness.advance(28.9 * Self.day)
        #expect(harness.refreshes.count == 1)
    }

    @Test("a kept refresh token causes one early renewal, and no other")
    func keptToken() {
        let harness = MachineHarness.signedIn(
            configuration: .testing(rotation: .maybe, refreshSlides: false)
        ) {
            $0.behavior = .keepsSilently
            $0.slides = false
            $0.accessLifetime = 30 * Self.day
            $0.refreshLifetime = 30 * Self.day
        }
        harness.advance(30 * Self.day - 3600)
        #expect(harness.refreshes.count == 1)
        #expect(harness.generation == 2)
        #expect(harness.state == .fresh)
    }

    @Test("an end that renewals do not move is not chased", arguments: [Rotation.always, .maybe])
    func absoluteEnd(rotation: Rotation) {
        let harness = MachineHarness.signedIn(
            configuration: .testing(rotation: rotation, refreshSlides: false)
        ) {
            $0.slides = false
            $0.accessLifetime = 900
            $0.refreshLifetime = 7 * 3600
        }
        harness.advance(7 * 3600 - 60)
        // Every 12 min, and a few for the sake of the end.
        #expect(harness.refreshes.count <= 7 * 3600 / 715 + 6)
        #expect(harness.signedOutReasons.isEmpty)
    }

    @Test("an early renewal for another reason does not pass for one that gained nothing")
    func earlyForAnotherReason() {
        let harness = MachineHarness.signedIn {
            $0.accessLifetime = 30 * Self.day
            $0.refreshLifetime = 30 * Self.day
        }
        harness.advance(60)
        harness.send(.refreshNow)
        harness.advance(60)
        let refreshAt = harness.machine.schedule?.refreshAt.seconds(since: .origin) ?? 0
        #expect(abs(refreshAt - 29 * Self.day - 60) < 1)
    }

    @Test("any, refresh deadline passed → one last flight, then signedOut(refreshExpired)")
    func refreshEnds() {
        let harness = MachineHarness.signedIn(
            configuration: .testing(rotation: .never, refreshSlides: false)
        ) {
            $0.behavior = .keepsSilently
            $0.slides = false
            $0.refreshLifetime = 100
        }
        harness.advance(99)
        let before = harness.refreshes.count
        harness.advance(2)
        #expect(harness.refreshes.count == before + 1)
        #expect(harness.state == .draining(.refreshExpired))
        harness.advance(100)
        #expect(harness.state == .signedOut(.refreshExpired))
        #expect(harness.refreshes.count == before + 1)
    }

    @Test("no flight follows the last one, whatever its outcome")
    func lastFlightFails() {
        let harness = MachineHarness.signedIn(
            configuration: .testing(rotation: .never, refreshSlides: false)
        ) {
            $0.behavior = .keepsSilently
            $0.slides = false
            $0.refreshLifetime = 200
            $0.accessLifetime = 150
        }
        harness.advance(190)
        harness.backend.isUnreachable = true
        harness.advance(10.5)
        #expect(harness.state == .draining(.refreshExpired))
        let sends = harness.refreshes.count
        harness.advance(1000)
        #expect(harness.state == .signedOut(.refreshExpired))
        #expect(harness.refreshes.count == sends)
    }

    @Test("an assumed deadline ends nothing: we go on trying")
    func assumedEnd() {
        let harness = MachineHarness.signedIn(
            configuration: .testing(rotation: .never, refreshSlides: false)
        ) {
            $0.behavior = .keepsSilently
            $0.slides = false
            $0.refreshLifetime = 100
            $0.isRefreshEndDocumented = true
        }
        harness.advance(94)
        harness.backend.isUnreachable = true
        harness.advance(500)
        #expect(harness.state.name == "expired")
        #expect(harness.signedOutReasons.isEmpty)
    }

    @Test("paused beyond the refresh token's end, the last flight waits for the user")
    func pausedEnd() {
        let harness = MachineHarness.signedIn { $0.refreshLifetime = 100 }
        harness.send(.setPaused(.timer))
        harness.advance(200)
        #expect(harness.refreshes.isEmpty)
        #expect(harness.state.name == "expired")
        harness.send(.setPaused(nil))
        harness.advance(1)
        #expect(harness.refreshes.count == 1)
        #expect(harness.state == .signedOut(.refreshExpired))
    }

    @Test("a session whose refresh token expired while no program ran has one last flight")
    func endedWhileStopped() {
        let harness = MachineHarness.signedIn { $0.refreshLifetime = 600 }.restarted(after: 10_000)
        harness.advance(30)
        #expect(harness.refreshes.count == 1)
        #expect(harness.state == .signedOut(.refreshExpired))
    }

    @Test("a kept refresh token's end is the one it had when it was new")
    func keptEnd() throws {
        let harness = MachineHarness.signedIn {
            $0.behavior = .keeps
            $0.slides = false
            $0.isRefreshWebToken = true
        }
        let first = try #require(harness.machine.held?.refresh)
        #expect(first.expiry.source == .webTokenLifetime)
        for _ in 1...5 {
            harness.advanceToSoft()
            harness.advance(1)
        }
        #expect(harness.generation == 6)
        #expect(harness.machine.held?.refresh == first)
    }
}
