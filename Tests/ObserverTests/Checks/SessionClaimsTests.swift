import Backend
import Basics
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
            (#"{"sub":"1","aud":"a"}"#, #"{"sub":"1","aud":["a"]}"#, ["sub", "aud"], []),
            (#"{"sub":"1","scope":"b a"}"#, #"{"sub":"1","scope":"a b"}"#, ["sub", "scope"], []),
            (#"{"sub":"1","scp":["a","b"]}"#, #"{"sub":"2","scp":["a"]}"#, [], ["sub", "scope"]),
            (#"{"sub":"1","aud":"a"}"#, #"{"sub":"1"}"#, ["sub"], ["aud"]), ("{}", "{}", [], []),
        ]
    )
    func claims(first: String, next: String, kept: [String], changed: [String]) {
        let compared = facts(first).compared(with: facts(next))
        #expect(compared.kept.map(\.rawValue) == kept)
        #expect(compared.changed.map(\.rawValue) == changed)
    }

    @Test("an opaque token states nothing; a scope that an answer leaves out is the one before")
    func answers() {
        #expect(SessionClaims(AccessToken(Secret("opaque"))) == nil)
        let same = facts(nil, scope: "a b").compared(with: facts(nil))
        #expect(same.kept.isEmpty && same.changed.isEmpty)
        #expect(facts(nil, scope: "a b").compared(with: facts(nil, scope: "a")).changed == [.scope])
        #expect(facts(nil, scope: "a b").compared(with: facts(nil, scope: "b a")).kept == [.scope])
    }

    @Test("a check of the sandbox finds it kept by a refresh")
    func kept() throws {
        let dialect = try #require(Dialect.builtIn(named: "bitbasel"))
        let policy = BackendPolicy(of: dialect, refreshLifetime: 600, reuse: .strict)
        var check = VirtualCheck(dialect: dialect, policy: policy)
        check.options.probes = [.login, .refresh]
        let verdicts = check.run().report.verdicts
        let found = verdicts.contains { verdict in
            if case .claims(let kept, []) = verdict { kept.contains(.subject) } else { false }
        }
        #expect(found, "\(verdicts)")
    }
}
