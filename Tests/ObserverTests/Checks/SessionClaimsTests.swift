import Backend
import Basics
import FoundationEssentials
import Profiles
import Testing

@testable import Observer

@Suite("What access tokens state of their session")
struct SessionClaimsTests {
    private func facts(_ claims: String?, scope: String? = nil) -> ProbeAnswerFacts {
        var facts = ProbeAnswerFacts()
        if let claims {
            let parts = [#"{"alg":"none"}"#, claims, "x"].map { Base64URL.encode($0.utf8) }
            facts.claims = SessionClaims(AccessToken(Secret(parts.joined(separator: "."))))
        }
        facts.scope = scope.map { Set(Scopes.words(of: $0)) }
        return facts
    }

    @Test(
        "is compared by meaning, and what neither states is not",
        arguments: [
            (
                #"{"sub":"1","aud":"a"}"#, #"{"sub":"1","aud":["a"]}"#,
                ClaimComparison(kept: [.subject, .audience])
            ),
            (
                #"{"sub":"1","scope":"b a"}"#, #"{"sub":"1","scope":"a b"}"#,
                ClaimComparison(kept: [.subject, .scope])
            ),
            (
                #"{"sub":"1","scp":["a","b"]}"#, #"{"sub":"2","scp":["a"]}"#,
                ClaimComparison(changed: [.subject], lost: [.scope])
            ),
            (
                #"{"sub":"1","aud":"a"}"#, #"{"sub":"1"}"#,
                ClaimComparison(kept: [.subject], lost: [.audience])
            ),
            (#"{"aud":"a"}"#, #"{"aud":["a","b"]}"#, ClaimComparison(changed: [.audience])),
            ("{}", #"{"scope":"a"}"#, ClaimComparison(changed: [.scope])),
            ("{}", "{}", ClaimComparison()),
        ]
    )
    func claims(first: String, next: String, expected: ClaimComparison) {
        #expect(facts(first).compared(with: facts(next)) == expected)
    }

    @Test("an opaque token states nothing; a scope that an answer leaves out is the one before")
    func answers() {
        #expect(SessionClaims(AccessToken(Secret("opaque"))) == nil)
        let same = facts(nil, scope: "a b").compared(with: facts(nil))
        #expect(same == ClaimComparison())
        #expect(facts(nil, scope: "a b").compared(with: facts(nil, scope: "a")).lost == [.scope])
        #expect(facts(nil, scope: "a").compared(with: facts(nil, scope: "a b")).changed == [.scope])
        #expect(facts(nil, scope: "a b").compared(with: facts(nil, scope: "b a")).kept == [.scope])
        // What a login brings is no right of a token.
        let openID = facts(nil, scope: "openid offline_access a")
        #expect(openID.compared(with: facts(nil, scope: "a")).kept == [.scope])
    }

    @Test("the scope of a user's login is compared as that of an answer")
    func userLogin() {
        let tokens = IssuedTokens(access: AccessToken(Secret("a")), refresh: nil)
        let moment = Moment(now: .origin, wall: Date(timeIntervalSince1970: 0))
        let login = ProbeAnswer(tokens, scope: ["a", "b"], sentAt: moment).facts
        #expect(login.compared(with: facts(nil, scope: "a")).lost == [.scope])
        #expect(login.compared(with: facts(nil, scope: "b a")).kept == [.scope])
        let without = ProbeAnswer(tokens, scope: nil, sentAt: moment).facts
        #expect(without.compared(with: facts(nil, scope: "a")) == ClaimComparison())
        var asked = tokens
        asked.statements.scopes = ["a", "b"]
        let silent = ProbeAnswer(asked, scope: nil, sentAt: moment).facts
        #expect(silent.compared(with: facts(nil, scope: "a")).lost == [.scope])
    }

    @Test("a check of the sandbox finds it kept by a refresh")
    func kept() throws {
        let dialect = try #require(Dialect.builtIn(named: "bitbasel"))
        let policy = BackendPolicy(of: dialect, refreshLifetime: 600, reuse: .strict)
        var check = VirtualCheck(dialect: dialect, policy: policy)
        check.options.probes = [.login, .refresh]
        let verdicts = check.run().report.verdicts
        let found = verdicts.contains { verdict in
            guard case .claims(let claims) = verdict else { return false }
            return claims.kept.contains(.subject) && claims.changed.isEmpty && claims.lost.isEmpty
        }
        #expect(found, "\(verdicts)")
        #expect(!verdicts.contains { if case .newAccessRefused = $0 { true } else { false } })
    }

    @Test("a new access token that is refused is named, and proves nothing about a reuse")
    func refused() throws {
        let dialect = try #require(Dialect.builtIn(named: "voltyks"))
        let policy = BackendPolicy(
            of: dialect,
            refreshLifetime: 600,
            reuse: .strictRevokeFamily
        )
        for isRefused in [true, false] {
            var check = VirtualCheck(dialect: dialect, policy: policy)
            check.options.probes = [.login, .refresh, .reuse]
            check.trouble.refusesRenewed = isRefused
            let report = check.run().report
            let refusal = Verdict.newAccessRefused(status: 401)
            #expect(report.verdicts.contains(refusal) == isRefused, "\(report.verdicts)")
            #expect(report.policy.verdict == .strictRevoke)
            #expect(report.policy.endsAccess == (isRefused ? nil : true))
        }
    }
}
