import Basics
import Client
import Model
import Profiles
import Testing

@Suite("ClientMachine: a session without a refresh token")
struct SessionWithoutRefreshTokenTests {
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

    @Test("no refresh token, soft → the login again, where it needs no user")
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

    @Test("a token whose expiry is unknown is used until it is refused")
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
}
