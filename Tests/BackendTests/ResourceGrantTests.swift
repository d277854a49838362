import Model
import Profiles
import Testing

@testable import Backend
@testable import Basics

@Suite("Backend: sessions for a resource")
struct ResourceGrantTests {
    private static let url = "https://api.example.com/mcp"
    private static let verifier = CodeVerifier(random: Array(repeating: 9, count: 32))

    private let policy = BackendPolicy.testing(rotation: .keepsSilently)
    private var backend = AuthBackend(seed: 1)

    /// Logs in with a browser.
    private mutating func login(for resource: String?) throws -> IssuedFacts {
        let dialect = try #require(Dialect.builtIn(named: "oauth2"))
        let named = resource.map { "&" + FormEncoding.encode([(name: "resource", value: $0)]) }
        let query = try #require(
            dialect.recognizeAuthorization(
                WireRequest(
                    method: "GET",
                    target: "/authorize?response_type=code&client_id=sandbox&scope=read%20%22x"
                        + "&redirect_uri=http%3A%2F%2F127.0.0.1%3A4711%2Fcallback"
                        + "&code_challenge=\(Self.verifier.challenge)&code_challenge_method=S256"
                        + (named ?? "")
                )
            )
        )
        let code = backend.issueCode(for: query, to: Account.sandbox.user, at: start)
        let credentials = [
            "code": code, "code_verifier": Self.verifier.secret, "client_id": Secret("sandbox"),
            "redirect_uri": Secret("http://127.0.0.1:4711/callback"),
        ]
        guard let facts = backend.login(credentials, in: policy, at: start) else {
            throw Unexpected()
        }
        return facts
    }

    private mutating func renew(_ token: RefreshToken?) throws -> IssuedFacts {
        guard case .issued(let facts) = backend.refresh(token, in: policy, at: start + 1) else {
            throw Unexpected()
        }
        return facts
    }

    @Test("their tokens state the resource and the scope, after a refresh as before")
    mutating func stated() throws {
        let facts = try login(for: Self.url)
        for access in [facts.access, try renew(facts.refresh).access] {
            let claims = try #require(JSONWebToken(reading: access.secret)?.claims)
            #expect(claims["aud"] == .string(Self.url))
            #expect(claims["scope"] == .string("read \"x"))
        }
    }

    @Test("their refresh tokens are replaced where the dialect does not say so")
    mutating func replaced() throws {
        let facts = try login(for: Self.url)
        let next = try renew(facts.refresh)
        #expect(next.refresh != nil && next.refresh != facts.refresh)
        let reuse = backend.refresh(facts.refresh, in: policy, at: start + 2)
        #expect(reuse == .refused(.spent))
    }

    @Test("their tokens are for that resource alone")
    mutating func others() throws {
        let facts = try login(for: Self.url)
        let refresh = try #require(facts.refresh)
        #expect(backend.grants(Self.url, to: refresh))
        #expect(!backend.grants("https://other.example/", to: refresh))
        #expect(backend.accepts(facts.access, at: Self.url))
        #expect(!backend.accepts(facts.access, at: "https://other.example/"))
    }

    @Test(
        "a refresh that loses the audience or the scope brings a token without it",
        arguments: [(Fault.missingAudience, "aud", false), (.missingScope, "scope", true)]
    )
    mutating func lost(fault: Fault, claim: String, isAccepted: Bool) throws {
        let facts = try login(for: Self.url)
        let rules = policy.under([fault])
        guard case .issued(let next) = backend.refresh(facts.refresh, in: rules, at: start + 1)
        else { throw Unexpected() }
        let claims = try #require(JSONWebToken(reading: next.access.secret)?.claims)
        #expect(claims[claim] == nil)
        #expect(backend.accepts(next.access, at: Self.url) == isAccepted)
        // The session has not lost it.
        let last = try renew(next.refresh)
        #expect(JSONWebToken(reading: last.access.secret)?.claims[claim] != nil)
        #expect(backend.accepts(last.access, at: Self.url))
    }

    @Test("a session for no resource has opaque tokens, which every resource accepts")
    mutating func without() throws {
        let facts = try login(for: nil)
        #expect(JSONWebToken(reading: facts.access.secret) == nil)
        let refresh = try #require(facts.refresh)
        #expect(backend.grants(Self.url, to: refresh))
        #expect(backend.accepts(facts.access, at: Self.url))
        let next = try renew(refresh)
        #expect(next.refresh == nil)
    }
}
