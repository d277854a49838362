import Basics
import Testing

@testable import Backend
@testable import Profiles
@testable import Sandbox

@Suite("Sandbox: every dialect from login to logout")
struct DialectTourTests {
    @Test(
        "a session lives through refreshes and ends with its logout",
        arguments: Dialect.builtIn().map(\.name)
    )
    func tour(name: String) async throws {
        let dialect = try dialect(name)
        // One that spends its tokens without bringing others cannot be renewed twice otherwise.
        let reuse = dialect.refreshIsOneTime ? ReusePolicy.none : .strict
        try await withSandbox(SandboxConfiguration(reuse: reuse)) { sandbox in
            let first = try await sandbox.login(dialect)
            #expect(first.statements.subject == nil || first.statements.subject == "123")
            #expect(try await sandbox.opens(dialect, first.access) == .accepted)

            let second = try await sandbox.renewed(dialect, first.refresh)
            #expect(second.access != first.access)
            #expect(try await sandbox.opens(dialect, second.access) == .accepted)
            switch dialect.rotation {
            case .always: #expect(second.refresh != nil && second.refresh != first.refresh)
            case .never: #expect(second.refresh == first.refresh)
            case .maybe: #expect(second.refresh == nil)
            }

            let third = try await sandbox.renewed(dialect, second.refresh ?? first.refresh)
            let live = third.refresh ?? second.refresh ?? first.refresh
            if dialect.rotation == .always {
                guard case .refused = try await sandbox.refresh(dialect, first.refresh) else {
                    throw Unexpected("a spent token was taken")
                }
            }
            for scope in dialect.logoutScopes.sorted(by: { $0.rawValue > $1.rawValue }) {
                let logout = dialect.logoutRequest(scope, refresh: live, access: third.access)
                let request = try #require(logout)
                let response = try await sandbox.send(request, under: "/\(name)")
                switch dialect.readLogout(response) {
                case .acknowledged: break
                // The tokens have ended with the session.
                case .tokenUnknown where scope == .everywhere: break
                case .tokenUnknown, .failed:
                    throw Unexpected("logout was answered with \(response.status)")
                }
                if scope == .this, !dialect.anonymousLogouts.contains(scope) {
                    #expect(response.status == 200)
                    #expect(try await sandbox.opens(dialect, third.access) == .tokenRejected)
                }
            }
            let state = try await sandbox.state()
            #expect(state.backend.sessions.count == 1)
            #expect(state.backend.sessions[0].dialect == name)
            #expect(state.backend.sessions[0].generation == 3)
            let isNamed = dialect.logoutScopes != dialect.anonymousLogouts
            #expect((state.backend.sessions[0].ended != nil) == isNamed)
            #expect(state.backend.counters[name]?.refreshes == 2)
        }
    }

    @Test("the second use of a one-time token is refused, though the first brought no other")
    func oneTime() async throws {
        let dialect = try dialect("melchat")
        try await withSandbox { sandbox in
            let first = try await sandbox.login(dialect)
            let second = try await sandbox.renewed(dialect, first.refresh)
            #expect(second.refresh == nil)
            let again = try await sandbox.refresh(dialect, first.refresh)
            #expect(again == .refused(Refusal(status: 401, message: "Invalid refresh token")))
            #expect(try await sandbox.opens(dialect, second.access) == .accepted)
        }
    }

    @Test("a logout takes any token that names its session, and an anonymous one takes none")
    func loggingOut() async throws {
        let melchat = try dialect("melchat")
        let intellipost = try dialect("intellipost")
        try await withSandbox { sandbox in
            for dialect in [melchat, intellipost] {
                let tokens = try await sandbox.login(dialect)
                let byAccess = WireRequest(
                    method: "POST",
                    target: "/api/auth/logout",
                    headers: [
                        WireHeader("Authorization", "Bearer \(tokens.access.secret.reveal())")
                    ],
                    body: Array("{}".utf8)
                )
                let response = try await sandbox.send(byAccess, under: "/\(dialect.name)")
                #expect(response.status == 200)
                #expect(try await sandbox.opens(dialect, tokens.access) == .tokenRejected)
            }
            let kept = try await sandbox.login(intellipost)
            let bare = WireRequest(method: "POST", target: "/api/auth/logout")
            #expect(try await sandbox.send(bare, under: "/intellipost").status == 200)
            #expect(try await sandbox.opens(intellipost, kept.access) == .accepted)
            #expect(try await sandbox.send(bare, under: "/melchat").status == 401)
        }
    }

    @Test("wrong credentials are rejected", arguments: Dialect.builtIn().map(\.name))
    func rejected(name: String) async throws {
        let dialect = try dialect(name)
        try await withSandbox { sandbox in
            let wrong = Account.sandbox.credentials.mapValues { _ in Secret("wrong") }
            let response = try await sandbox.send(
                try dialect.loginRequest(wrong),
                under: "/\(name)"
            )
            guard case .rejected = dialect.readLogin(response) else {
                throw Unexpected("a wrong login was answered with \(response.status)")
            }
        }
    }

    @Test("sessions of different dialects are apart")
    func apart() async throws {
        let bitbasel = try dialect("bitbasel")
        let creatist = try dialect("creatist")
        try await withSandbox { sandbox in
            let tokens = try await sandbox.login(bitbasel)
            guard case .refused = try await sandbox.refresh(creatist, tokens.refresh) else {
                throw Unexpected("another dialect's token was taken")
            }
            #expect(try await sandbox.opens(creatist, tokens.access) == .tokenRejected)
        }
    }

    @Test("the list of sessions names each of the user's", arguments: ["melchat"])
    func sessions(name: String) async throws {
        let dialect = try dialect(name)
        try await withSandbox { sandbox in
            _ = try await sandbox.login(dialect)
            let tokens = try await sandbox.login(dialect)
            let request = try #require(dialect.sessionsRequest(tokens.access))
            let response = try await sandbox.send(request, under: "/\(name)")
            let list = try #require(dialect.readSessions(response))
            #expect(list.count == 2)
            #expect(list.filter { $0.isCurrent == true }.count == 1)
            let known = try await sandbox.state().backend.sessions.map(\.session)
            #expect(list.map(\.id) == known)
        }
    }
}
