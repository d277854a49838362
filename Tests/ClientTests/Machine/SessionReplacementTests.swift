import Basics
import Profiles
import Testing

@testable import Client
@testable import Model

@Suite("ClientMachine: a session that cannot be renewed is replaced by a login")
struct SessionReplacementTests {
    /// As melchat's: the access token alone ends a session that has no refresh token left.
    private static let configuration = SessionConfiguration.testing(
        logInAtStart: false,
        logoutNeeds: [.this: LogoutNeeds(refresh: true, accessSuffices: true)]
    )

    private static func loggedIn(
        _ change: (inout ScriptedBackend) -> Void = { _ in }
    ) -> MachineHarness {
        let harness = MachineHarness(configuration: configuration)
        change(&harness.backend)
        harness.send(.start)
        harness.settle()
        harness.send(.logIn)
        harness.advance(1)
        return harness
    }

    @Test("after a refusal, and after a new start, it comes up as draining and nothing else")
    func restarted() {
        let harness = Self.loggedIn()
        harness.backend.refreshFaults = [.refused]
        harness.send(.refreshNow)
        harness.advance(1)
        #expect(harness.state == .draining(.revoked))
        let next = harness.restarted(configuration: Self.configuration)
        #expect(next.path == ["cold", "draining"])
        #expect(next.feedOrders.count == 1)
    }

    @Test("the new pair takes its place at once, and its access token is revoked after that")
    func replaced() throws {
        let harness = Self.loggedIn()
        harness.backend.refreshFaults = [.refused]
        harness.send(.refreshNow)
        harness.advance(1)
        let next = harness.restarted(configuration: Self.configuration)
        let old = try #require(next.machine.held?.tokens.access)
        next.send(.logIn)
        next.advance(0.3)
        #expect(next.state == .fresh)
        #expect(next.storedPair?.tokens.refresh != nil)
        next.advance(1)
        #expect(next.revocations.map(\.entry.access) == [old])
        #expect(next.revocations.map(\.entry.refresh) == [nil])
        #expect(next.backend.families.map(\.isEnded) == [true, false])
        #expect(next.vault.record?.outbox.isEmpty == true)
    }

    @Test("a login that fails leaves it as it was")
    func fails() {
        let harness = Self.loggedIn()
        harness.backend.refreshFaults = [.refused]
        harness.send(.refreshNow)
        harness.advance(1)
        let stored = harness.vault.record?.pair
        harness.backend.loginFaults = [.refused]
        harness.send(.logIn)
        harness.advance(1)
        #expect(harness.state == .draining(.revoked))
        #expect(harness.vault.record?.pair == stored)
        #expect(harness.revocations.isEmpty)
    }

    @Test("a session that never had a refresh token is replaced while its access token is good")
    func withoutRefreshToken() {
        let harness = Self.loggedIn { $0.hasRefreshToken = false }
        #expect(harness.state == .fresh)
        harness.backend.loginFaults = [.status(503)]
        harness.send(.logIn)
        harness.advance(1)
        #expect(harness.state == .fresh)
        #expect(harness.machine.loginCount == 1)
        harness.send(.logIn)
        harness.advance(1)
        #expect(harness.state == .fresh)
        #expect(harness.machine.loginCount == 2)
        #expect(harness.rejections.isEmpty)
    }

    @Test("a session whose refresh token's end has passed is replaced")
    func refreshTokenOver() {
        let harness = Self.loggedIn {
            $0.accessLifetime = 600
            $0.refreshLifetime = 30
        }
        harness.send(.setPaused(.timer))
        harness.advance(20)
        harness.send(.logIn)
        #expect(harness.rejections.count == 1)
        harness.advance(20)
        harness.send(.logIn)
        harness.advance(1)
        #expect(harness.machine.loginCount == 2)
    }

    @Test("what another process stored in its place is revoked, too, once the new pair is stored")
    func storedByAnother() throws {
        let harness = Self.loggedIn()
        harness.backend.subject = "u2"
        harness.siblingLogsIn(as: "u2")
        harness.send(.vaultChanged)
        harness.settle()
        #expect(harness.state == .signedOut(.replaced))
        let theirs = try #require(harness.vault.record?.pair?.tokens.refresh)
        harness.send(.logIn)
        harness.advance(1)
        #expect(harness.state == .fresh)
        #expect(harness.revocations.map(\.entry.refresh) == [theirs])
    }

    @Test("a pair that is not stored yet revokes nothing that is stored")
    func notStoredYet() {
        let harness = Self.loggedIn()
        harness.backend.refreshFaults = [.refused]
        harness.send(.refreshNow)
        harness.advance(1)
        harness.send(.logIn)
        harness.settle()
        harness.vault.writeProblem = VaultProblem(message: "disk full")
        harness.advance(1)
        #expect(harness.state == .fresh)
        #expect(harness.revocations.isEmpty)
        harness.vault.writeProblem = nil
        harness.advance(20)
        #expect(harness.has("saved"))
        #expect(harness.revocations.count == 1)
    }

    @Test("a renewal that brings another user's token is told, and the token is not used")
    func otherUser() throws {
        let harness = MachineHarness.signedIn()
        harness.backend.subject = "u2"
        let held = try #require(harness.machine.held?.tokens.access)
        harness.advanceToSoft()
        harness.advance(1)
        let change = UserChange(before: "u1", after: "u2", isUsed: false)
        #expect(harness.events.compactMap { $0.kind as? UserChange } == [change])
        #expect(harness.state == .draining(.anotherUser))
        #expect(harness.machine.held?.tokens.access == held)
        #expect(harness.vault.record?.pair?.tokens.access == held)
        #expect(harness.vault.record?.pair?.tokens.refresh == nil)
        #expect(harness.snapshot.problems.userChange == change)
        harness.advanceToHard()
        #expect(harness.state == .signedOut(.anotherUser))
        #expect(harness.refreshes.count == 1)
    }

    @Test("where the profile allows it, the token of another user is used, and stays a problem")
    func otherUserAllowed() {
        let harness = MachineHarness.signedIn(configuration: .testing(allowsUserChange: true))
        harness.backend.subject = "u2"
        harness.advanceToSoft()
        harness.advance(1)
        let change = UserChange(before: "u1", after: "u2", isUsed: true)
        #expect(harness.events.compactMap { $0.kind as? UserChange } == [change])
        #expect(harness.state == .fresh)
        #expect(harness.snapshot.problems.userChange == change)
        harness.backend.subject = "u1"
        harness.advanceToSoft()
        harness.advance(1)
        #expect(harness.snapshot.problems.userChange == nil)
    }

    @Test("a renewal that does not say whose token it is, is used", arguments: [nil, "u1"])
    func sameUser(subject: String?) {
        let harness = MachineHarness.signedIn()
        harness.backend.subject = subject
        harness.advanceToSoft()
        harness.advance(1)
        #expect(harness.generation == 2)
        #expect(!harness.has("userChanged"))
    }

    @Test(
        "scopes that a renewal takes away are told once, and stay a problem until they are back",
        arguments: [
            (["read", "write"], ["read"], ["write"]),
            (["read", "write"], ["other"], ["read", "write"]),
            (["read", "write"], ["write", "read", "more"], []),
            // What an answer leaves out is unchanged (RFC 6749 section 6).
            (["read", "write"], nil, []), (nil, ["read"], []),
            // What a login brings is no right of a token.
            (["openid", "offline_access", "read"], ["read"], []),
        ] as [([String]?, [String]?, [String])]
    )
    func scopes(before: [String]?, after: [String]?, lost: [String]) {
        let harness = MachineHarness.signedIn { $0.scopes = before }
        harness.backend.scopes = after
        for _ in 1...2 {
            harness.advanceToSoft()
            harness.advance(1)
            #expect(harness.snapshot.problems.lostScopes == lost)
        }
        let told = harness.events.compactMap { ($0.kind as? ScopesLost)?.scopes }
        #expect(told == (lost.isEmpty ? [] : [lost]))
        // What came in place of them is lost now.
        harness.backend.scopes = before
        harness.advanceToSoft()
        harness.advance(1)
        let others = before.map { before in (after ?? []).filter { !before.contains($0) } }
        #expect(harness.snapshot.problems.lostScopes == others ?? [])
        #expect(harness.generation == 4)
    }

    @Test("a refresh that asks for a scope itself has lost none")
    func narrowed() {
        let configuration = SessionConfiguration.testing(refreshNamesScope: true)
        let harness = MachineHarness.signedIn(configuration: configuration) {
            $0.scopes = ["read", "write"]
        }
        harness.backend.scopes = ["read"]
        harness.advanceToSoft()
        harness.advance(1)
        #expect(!harness.has("scopesLost"))
    }
}
