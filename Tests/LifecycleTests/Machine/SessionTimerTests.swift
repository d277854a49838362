import Dialects
import Lifecycle
import Testing
import Timekeeping
import Tokens

@Suite("ClientMachine: pause and the refresh token's end")
struct SessionTimerTests {
    private static let day = 86_400.0

    // MARK: - Pause

    @Test("any, pause → same + flag: no flight by the timer")
    func pause() {
        let harness = MachineHarness.signedIn()
        harness.send(.setPaused(.timer))
        harness.send(.setPaused(.timer))
        #expect(harness.count("paused") == 1)
        #expect(harness.machine.flags.isPaused)
        harness.advance(55)
        #expect(harness.refreshes.isEmpty)
        #expect(harness.state == .fresh)
        harness.advance(600)
        #expect(harness.refreshes.isEmpty)
        #expect(harness.state.name == "expired")
    }

    @Test("the background's pause and the person's end each by itself")
    func twoPauses() {
        let harness = MachineHarness.signedIn()
        harness.send(.setPaused(.timer))
        harness.send(.setPaused(.timer, by: .background))
        #expect(harness.count("paused") == 2)
        harness.advance(55)
        harness.send(.setPaused(nil, by: .background))
        #expect(harness.machine.flags.pauses == [.person: .timer])
        harness.advance(1)
        #expect(harness.refreshes.isEmpty)
        harness.send(.setPaused(.timer, by: .background))
        harness.send(.setPaused(nil))
        harness.advance(1)
        #expect(harness.refreshes.isEmpty)
        harness.send(.setPaused(nil, by: .background))
        harness.advance(1)
        #expect(harness.refreshes.count == 1)
        #expect(harness.generation == 2)
    }

    @Test("paused, a 401 still renews")
    func pausedRejection() {
        let harness = MachineHarness.signedIn()
        harness.send(.setPaused(.timer))
        harness.backend.endAccessTokens()
        harness.request(1)
        harness.advance(1)
        #expect(harness.finished[1] == [.accepted(status: 200)])
        #expect(harness.generation == 2)
    }

    @Test("paused, a person still renews, and so does a caller without a token")
    func pausedPerson() {
        let harness = MachineHarness.signedIn()
        harness.send(.setPaused(.timer))
        harness.send(.refreshNow)
        harness.advance(1)
        #expect(harness.generation == 2)
        harness.advance(100)
        harness.needToken(1)
        harness.advance(1)
        #expect(harness.resumed[1]?.first?.generation == 3)
    }

    @Test("paused, a caller in vain does not end all later callers' hopes")
    func pausedOutage() {
        let harness = MachineHarness.signedIn()
        harness.send(.setPaused(.timer))
        harness.advance(100)
        harness.backend.isUnreachable = true
        harness.needToken(1)
        harness.advance(1)
        #expect(harness.resumed[1]?.first?.failure != nil)
        harness.backend.isUnreachable = false
        harness.advance(100)
        #expect(harness.generation == 1)
        harness.needToken(2)
        harness.advance(1)
        #expect(harness.resumed[2]?.first?.generation == 2)
    }

    @Test("any, resume: the zone is looked at first", arguments: [(10.0, 0), (50, 1), (100, 1)])
    func resume(after: Double, flights: Int) {
        let harness = MachineHarness.signedIn()
        harness.send(.setPaused(.timer))
        harness.advance(after)
        harness.send(.setPaused(nil))
        harness.advance(1)
        #expect(harness.count("resumed") == 1)
        #expect(harness.refreshes.count == flights)
        #expect(harness.state == .fresh)
        #expect(harness.generation == 1 + flights)
    }

    @Test("paused at the start of a resumed session, nothing is renewed by itself")
    func pausedBeforeStart() {
        let harness = MachineHarness.signedIn()
        let next = MachineHarness(seed: 2)
        next.backend = harness.backend
        next.vault = ScriptedVault(record: harness.vault.record)
        next.sleep(100)
        next.send(.setPaused(.timer))
        next.send(.start)
        next.advance(10)
        #expect(next.refreshes.isEmpty)
        next.send(.setPaused(nil))
        next.advance(1)
        #expect(next.state == .fresh)
    }

    // MARK: - The refresh token's end

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

    @Test("a kept refresh token is renewed early once, and never again for its sake")
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

    @Test("the last flight is the last one, whatever becomes of it")
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

    @Test("paused beyond the refresh token's end, the last flight waits for the person")
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

    @Test("a session whose refresh token ended while nobody watched gets one last flight")
    func endedWhileStopped() {
        let harness = MachineHarness.signedIn { $0.refreshLifetime = 600 }.restarted(after: 10_000)
        harness.advance(30)
        #expect(harness.refreshes.count == 1)
        #expect(harness.state == .signedOut(.refreshExpired))
    }

    // MARK: - No refresh token

    @Test("no refresh token, soft → draining(accessExpired), hard → signedOut(accessExpired)")
    func noRefreshToken() {
        let harness = MachineHarness.signedIn(configuration: .testing(hasRefreshToken: false)) {
            $0.hasRefreshToken = false
        }
        harness.advanceToSoft()
        #expect(harness.state == .draining(.accessExpired))
        harness.request(1)
        harness.advance(1)
        #expect(harness.finished[1] == [.accepted(status: 200)])
        harness.advanceToHard()
        #expect(harness.state == .signedOut(.accessExpired))
        #expect(harness.refreshes.isEmpty)
    }

    @Test("no refresh token, soft → the login again, where it needs no person")
    func renewsByLogin() {
        let harness = MachineHarness.signedIn(
            configuration: .testing(hasRefreshToken: false, renewsByLogin: true)
        ) {
            $0.hasRefreshToken = false
        }
        harness.advance(600)
        #expect(harness.state == .fresh)
        #expect((12...14).contains(harness.logins))
        #expect(harness.refreshes.isEmpty)
    }

    @Test("callers go on while the login is repeated, and a failure of it is tried again")
    func renewsByLoginLater() {
        let harness = MachineHarness.signedIn(
            configuration: .testing(hasRefreshToken: false, renewsByLogin: true)
        ) {
            $0.hasRefreshToken = false
        }
        harness.backend.loginFaults = [.status(503), .notSent]
        harness.advanceToSoft()
        harness.request(1)
        harness.advance(0.3)
        #expect(harness.finished[1] == [.accepted(status: 200)])
        #expect(harness.state.name == "retrying")
        harness.advance(until: { $0.state == .fresh })
        #expect(harness.logins == 4)
    }

    @Test("an outage longer than the token's life is survived by the login too")
    func renewsByLoginAfterOutage() {
        let harness = MachineHarness.signedIn(
            configuration: .testing(hasRefreshToken: false, renewsByLogin: true)
        ) {
            $0.hasRefreshToken = false
        }
        harness.backend.isUnreachable = true
        harness.advance(300)
        #expect(harness.state.name == "expired")
        harness.backend.isUnreachable = false
        harness.advance(70)
        #expect(harness.state == .fresh)
    }

    @Test("a login that is refused when repeated ends the session by hard")
    func renewsByLoginRefused() {
        let harness = MachineHarness.signedIn(
            configuration: .testing(hasRefreshToken: false, renewsByLogin: true)
        ) {
            $0.hasRefreshToken = false
        }
        harness.backend.loginFaults = Array(repeating: .refused, count: 10)
        harness.advanceToSoft()
        harness.advance(0.3)
        #expect(harness.state == .draining(.accessExpired))
        harness.advanceToHard()
        #expect(harness.state == .signedOut(.accessExpired))
        #expect(harness.logins == 2)
    }

    @Test("a refused request is repeated with the token that the repeated login brings")
    func renewsByLoginForRequest() {
        let harness = MachineHarness.signedIn(
            configuration: .testing(hasRefreshToken: false, renewsByLogin: true)
        ) {
            $0.hasRefreshToken = false
        }
        harness.advance(20)
        harness.backend.endAccessTokens()
        harness.request(1)
        harness.advance(2)
        #expect(harness.finished[1] == [.accepted(status: 200)])
        #expect(harness.logins == 2)
    }

    @Test("a token whose end nobody tells is used until it is refused")
    func unknownEnd() {
        let harness = MachineHarness.signedIn {
            $0.statement = .nothing
            $0.refreshLifetime = nil
        }
        harness.advance(50)
        #expect(harness.refreshes.isEmpty)
        harness.advance(50)
        harness.request(1)
        harness.advance(2)
        #expect(harness.finished[1] == [.accepted(status: 200)])
        #expect(harness.generation == 2)
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
