import Basics
import Profiles
import Testing

@testable import Backend

@Suite("Backend: what it remembers")
struct MemoryTests {
    @Test("is bounded, however many log in")
    func logins() throws {
        let backend = Bench()
        for _ in 0..<50_000 { _ = try backend.login(in: .testing()) }
        #expect(backend.state().sessions.count <= AuthBackend.familyLimit)
        #expect(backend.tokenCount <= 2 * AuthBackend.familyLimit)
        let last = try backend.login(in: .testing())
        #expect(backend.opens(last.access, in: .testing()))
    }

    @Test("is bounded, however often they renew, and who renews is not forgotten for it")
    func renewals() throws {
        let backend = Bench()
        var tokens = try (0..<200).map { _ in try backend.login(in: .testing()).refresh }
        for _ in 0..<250 {
            guard let token = tokens.last else { break }
            tokens[tokens.count - 1] = try backend.renew(token, in: .testing()).refresh
        }
        for round in 0..<150 {
            for index in tokens.indices {
                guard case .issued(let facts) = backend.refresh(tokens[index], in: .testing())
                else { continue }
                tokens[index] = facts.refresh
            }
            #expect(backend.tokenCount <= AuthBackend.tokenLimit + 1, "round \(round)")
        }
        #expect(backend.refresh(tokens.last ?? nil, in: .testing()) != .refused(.unknown))
    }

    @Test("does not hold for long what is over, by its end or by a logout")
    func over() throws {
        let backend = Bench()
        let ended = try backend.login(in: .testing())
        #expect(backend.logout(.this, refresh: ended.refresh, in: .testing()))
        // Its refresh token lives for 600 s.
        _ = try backend.login(in: .testing())
        let living = try backend.login(in: .testing(), at: start + 1000)
        backend.forgetOver(at: start + AuthBackend.memory)
        #expect(backend.state().sessions.count == 3)
        backend.forgetOver(at: start + AuthBackend.memory + 1)
        #expect(backend.state().sessions.count == 2)
        backend.forgetOver(at: start + 600 + AuthBackend.memory + 1)
        #expect(backend.state().sessions.count == 1)
        #expect(backend.tokenCount == 2)
        _ = try backend.renew(living.refresh, in: .testing(), at: start + 1500)
    }

    @Test("knows the policy that a token was issued under, whatever the request")
    func issuer() throws {
        let backend = Bench()
        let facts = try backend.login(in: .testing("acme"))
        let requests: [RecognizedRequest] = [
            .refresh(facts.refresh), .protected(facts.access), .sessions(facts.access),
            .feed(facts.access, since: nil), .endSession(id: "x", facts.access),
            .logout(.this, refresh: facts.refresh, access: nil),
            .logout(.everywhere, refresh: nil, access: facts.access),
        ]
        for request in requests { #expect(backend.issuer(ofTokensIn: request) == "acme") }
        #expect(backend.issuer(ofTokensIn: .login(credentials: Bench.credentials)) == nil)
        #expect(backend.issuer(ofTokensIn: .refresh(RefreshToken(Secret("x")))) == nil)
        #expect(backend.issuer(ofTokensIn: .refresh(nil)) == nil)
    }
}
