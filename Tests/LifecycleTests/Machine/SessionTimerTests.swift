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
        let scene = Scene.signedIn()
        scene.send(.setPaused(true))
        scene.send(.setPaused(true))
        #expect(scene.count("paused") == 1)
        #expect(scene.machine.flags.isPaused)
        scene.advance(55)
        #expect(scene.refreshes.isEmpty)
        #expect(scene.state == .fresh)
        scene.advance(600)
        #expect(scene.refreshes.isEmpty)
        #expect(scene.state.name == "offline")
    }

    @Test("the background's pause and the person's end each by itself")
    func twoPauses() {
        let scene = Scene.signedIn()
        scene.send(.setPaused(true))
        scene.send(.setPaused(true, by: .background))
        #expect(scene.count("paused") == 2)
        scene.advance(55)
        scene.send(.setPaused(false, by: .background))
        #expect(scene.machine.flags.pauses == [.person])
        scene.advance(1)
        #expect(scene.refreshes.isEmpty)
        scene.send(.setPaused(true, by: .background))
        scene.send(.setPaused(false))
        scene.advance(1)
        #expect(scene.refreshes.isEmpty)
        scene.send(.setPaused(false, by: .background))
        scene.advance(1)
        #expect(scene.refreshes.count == 1)
        #expect(scene.generation == 2)
    }

    @Test("paused, a 401 still renews")
    func pausedRejection() {
        let scene = Scene.signedIn()
        scene.send(.setPaused(true))
        scene.backend.endAccessTokens()
        scene.request(1)
        scene.advance(1)
        #expect(scene.finished[1] == [.accepted(status: 200)])
        #expect(scene.generation == 2)
    }

    @Test("paused, a person still renews, and so does a caller without a token")
    func pausedPerson() {
        let scene = Scene.signedIn()
        scene.send(.setPaused(true))
        scene.send(.refreshNow)
        scene.advance(1)
        #expect(scene.generation == 2)
        scene.advance(100)
        scene.needToken(1)
        scene.advance(1)
        #expect(scene.resumed[1]?.first?.generation == 3)
    }

    @Test("paused, a caller in vain does not end all later callers' hopes")
    func pausedOutage() {
        let scene = Scene.signedIn()
        scene.send(.setPaused(true))
        scene.advance(100)
        scene.backend.isUnreachable = true
        scene.needToken(1)
        scene.advance(1)
        #expect(scene.resumed[1]?.first?.failure != nil)
        scene.backend.isUnreachable = false
        scene.advance(100)
        #expect(scene.generation == 1)
        scene.needToken(2)
        scene.advance(1)
        #expect(scene.resumed[2]?.first?.generation == 2)
    }

    @Test("any, resume: the zone is looked at first", arguments: [(10.0, 0), (50, 1), (100, 1)])
    func resume(after: Double, flights: Int) {
        let scene = Scene.signedIn()
        scene.send(.setPaused(true))
        scene.advance(after)
        scene.send(.setPaused(false))
        scene.advance(1)
        #expect(scene.count("resumed") == 1)
        #expect(scene.refreshes.count == flights)
        #expect(scene.state == .fresh)
        #expect(scene.generation == 1 + flights)
    }

    @Test("paused at the start of a resumed session, nothing is renewed by itself")
    func pausedBeforeStart() {
        let scene = Scene.signedIn()
        let next = Scene(seed: 2)
        next.backend = scene.backend
        next.vault = ScriptedVault(record: scene.vault.record)
        next.sleep(100)
        next.send(.setPaused(true))
        next.send(.start)
        next.advance(10)
        #expect(next.refreshes.isEmpty)
        next.send(.setPaused(false))
        next.advance(1)
        #expect(next.state == .fresh)
    }

    // MARK: - The refresh token's end

    @Test("a refresh token that ends before the access token is renewed a day ahead")
    func longLives() {
        let scene = Scene.signedIn {
            $0.accessLifetime = 30 * Self.day
            $0.refreshLifetime = 30 * Self.day
        }
        scene.advance(29 * Self.day - 1)
        #expect(scene.refreshes.isEmpty)
        scene.advance(10)
        #expect(scene.refreshes.count == 1)
        #expect(scene.generation == 2)
        scene.advance(28.9 * Self.day)
        #expect(scene.refreshes.count == 1)
    }

    @Test("a kept refresh token is renewed early once, and never again for its sake")
    func keptToken() {
        let scene = Scene.signedIn(traits: .testing(rotation: .maybe, refreshSlides: false)) {
            $0.habit = .keepsSilently
            $0.slides = false
            $0.accessLifetime = 30 * Self.day
            $0.refreshLifetime = 30 * Self.day
        }
        scene.advance(30 * Self.day - 3600)
        #expect(scene.refreshes.count == 1)
        #expect(scene.generation == 2)
        #expect(scene.state == .fresh)
    }

    @Test("an end that renewals do not move is not chased", arguments: [Rotation.always, .maybe])
    func absoluteEnd(rotation: Rotation) {
        let scene = Scene.signedIn(traits: .testing(rotation: rotation, refreshSlides: false)) {
            $0.slides = false
            $0.accessLifetime = 900
            $0.refreshLifetime = 7 * 3600
        }
        scene.advance(7 * 3600 - 60)
        // Every 12 min, and a few for the sake of the end.
        #expect(scene.refreshes.count <= 7 * 3600 / 715 + 6)
        #expect(scene.signedOutReasons.isEmpty)
    }

    @Test("an early renewal for another reason does not pass for one that gained nothing")
    func earlyForAnotherReason() {
        let scene = Scene.signedIn {
            $0.accessLifetime = 30 * Self.day
            $0.refreshLifetime = 30 * Self.day
        }
        scene.advance(60)
        scene.send(.refreshNow)
        scene.advance(60)
        let soft = scene.machine.schedule?.soft.seconds(since: .origin) ?? 0
        #expect(abs(soft - 29 * Self.day - 60) < 1)
    }

    @Test("any, refresh deadline passed → one last flight, then signedOut(refreshExpired)")
    func refreshEnds() {
        let scene = Scene.signedIn(traits: .testing(rotation: .never, refreshSlides: false)) {
            $0.habit = .keepsSilently
            $0.slides = false
            $0.refreshLifetime = 100
        }
        scene.advance(99)
        let before = scene.refreshes.count
        scene.advance(2)
        #expect(scene.refreshes.count == before + 1)
        #expect(scene.state == .draining(.refreshExpired))
        scene.advance(100)
        #expect(scene.state == .signedOut(.refreshExpired))
        #expect(scene.refreshes.count == before + 1)
    }

    @Test("the last flight is the last one, whatever becomes of it")
    func lastFlightFails() {
        let scene = Scene.signedIn(traits: .testing(rotation: .never, refreshSlides: false)) {
            $0.habit = .keepsSilently
            $0.slides = false
            $0.refreshLifetime = 200
            $0.accessLifetime = 150
        }
        scene.advance(190)
        scene.backend.isUnreachable = true
        scene.advance(10.5)
        #expect(scene.state == .draining(.refreshExpired))
        let sends = scene.refreshes.count
        scene.advance(1000)
        #expect(scene.state == .signedOut(.refreshExpired))
        #expect(scene.refreshes.count == sends)
    }

    @Test("an assumed deadline ends nothing: we go on trying")
    func assumedEnd() {
        let scene = Scene.signedIn(traits: .testing(rotation: .never, refreshSlides: false)) {
            $0.habit = .keepsSilently
            $0.slides = false
            $0.refreshLifetime = 100
            $0.isRefreshEndDocumented = true
        }
        scene.advance(94)
        scene.backend.isUnreachable = true
        scene.advance(500)
        #expect(scene.state.name == "offline")
        #expect(scene.signedOutReasons.isEmpty)
    }

    @Test("paused beyond the refresh token's end, the last flight waits for the person")
    func pausedEnd() {
        let scene = Scene.signedIn { $0.refreshLifetime = 100 }
        scene.send(.setPaused(true))
        scene.advance(200)
        #expect(scene.refreshes.isEmpty)
        #expect(scene.state.name == "offline")
        scene.send(.setPaused(false))
        scene.advance(1)
        #expect(scene.refreshes.count == 1)
        #expect(scene.state == .signedOut(.refreshExpired))
    }

    @Test("a session whose refresh token ended while nobody watched gets one last flight")
    func endedWhileStopped() {
        let scene = Scene.signedIn { $0.refreshLifetime = 600 }.restarted(after: 10_000)
        scene.advance(30)
        #expect(scene.refreshes.count == 1)
        #expect(scene.state == .signedOut(.refreshExpired))
    }

    // MARK: - No refresh token

    @Test("no refresh token, soft → draining(accessExpired), hard → signedOut(accessExpired)")
    func noRefreshToken() {
        let scene = Scene.signedIn(traits: .testing(hasRefreshToken: false)) {
            $0.hasRefreshToken = false
        }
        scene.advanceToSoft()
        #expect(scene.state == .draining(.accessExpired))
        scene.request(1)
        scene.advance(1)
        #expect(scene.finished[1] == [.accepted(status: 200)])
        scene.advanceToHard()
        #expect(scene.state == .signedOut(.accessExpired))
        #expect(scene.refreshes.isEmpty)
    }

    @Test("no refresh token, soft → the login again, where it needs no person")
    func renewsByLogin() {
        let scene = Scene.signedIn(
            traits: .testing(hasRefreshToken: false, renewsByLogin: true)
        ) {
            $0.hasRefreshToken = false
        }
        scene.advance(600)
        #expect(scene.state == .fresh)
        #expect((12...14).contains(scene.logins))
        #expect(scene.refreshes.isEmpty)
    }

    @Test("callers go on while the login is repeated, and a failure of it is tried again")
    func renewsByLoginLater() {
        let scene = Scene.signedIn(
            traits: .testing(hasRefreshToken: false, renewsByLogin: true)
        ) {
            $0.hasRefreshToken = false
        }
        scene.backend.loginFaults = [.status(503), .notSent]
        scene.advanceToSoft()
        scene.request(1)
        scene.advance(0.3)
        #expect(scene.finished[1] == [.accepted(status: 200)])
        #expect(scene.state.name == "retrying")
        scene.advance(until: { $0.state == .fresh })
        #expect(scene.logins == 4)
    }

    @Test("an outage longer than the token's life is survived by the login too")
    func renewsByLoginAfterOutage() {
        let scene = Scene.signedIn(
            traits: .testing(hasRefreshToken: false, renewsByLogin: true)
        ) {
            $0.hasRefreshToken = false
        }
        scene.backend.isUnreachable = true
        scene.advance(300)
        #expect(scene.state.name == "offline")
        scene.backend.isUnreachable = false
        scene.advance(70)
        #expect(scene.state == .fresh)
    }

    @Test("a login that is refused when repeated ends the session by hard")
    func renewsByLoginRefused() {
        let scene = Scene.signedIn(
            traits: .testing(hasRefreshToken: false, renewsByLogin: true)
        ) {
            $0.hasRefreshToken = false
        }
        scene.backend.loginFaults = Array(repeating: .refused, count: 10)
        scene.advanceToSoft()
        scene.advance(0.3)
        #expect(scene.state == .draining(.accessExpired))
        scene.advanceToHard()
        #expect(scene.state == .signedOut(.accessExpired))
        #expect(scene.logins == 2)
    }

    @Test("a refused request is repeated with the token that the repeated login brings")
    func renewsByLoginForRequest() {
        let scene = Scene.signedIn(
            traits: .testing(hasRefreshToken: false, renewsByLogin: true)
        ) {
            $0.hasRefreshToken = false
        }
        scene.advance(20)
        scene.backend.endAccessTokens()
        scene.request(1)
        scene.advance(2)
        #expect(scene.finished[1] == [.accepted(status: 200)])
        #expect(scene.logins == 2)
    }

    @Test("a token whose end nobody tells is used until it is refused")
    func unknownEnd() {
        let scene = Scene.signedIn {
            $0.statement = .nothing
            $0.refreshLifetime = nil
        }
        scene.advance(50)
        #expect(scene.refreshes.isEmpty)
        scene.advance(50)
        scene.request(1)
        scene.advance(2)
        #expect(scene.finished[1] == [.accepted(status: 200)])
        #expect(scene.generation == 2)
    }

    @Test("a kept refresh token's end is the one it had when it was new")
    func keptEnd() throws {
        let scene = Scene.signedIn {
            $0.habit = .keeps
            $0.slides = false
            $0.isRefreshWebToken = true
        }
        let first = try #require(scene.machine.held?.refresh)
        #expect(first.expiry.source == .webTokenLifetime)
        for _ in 1...5 {
            scene.advanceToSoft()
            scene.advance(1)
        }
        #expect(scene.generation == 6)
        #expect(scene.machine.held?.refresh == first)
    }
}
