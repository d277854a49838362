import Basics
import FoundationEssentials
import Profiles
import Testing

@testable import Backend

@Suite("Backend: its state")
struct BackendStateTests {
    @Test("no part of a token is in it, only fingerprints that a client takes too")
    func secrets() throws {
        let backend = Bench()
        let policy = BackendPolicy.testing(formats: TokenFormats(access: .jwt, refresh: .uuid))
        let first = try backend.login(in: policy)
        let second = try backend.renew(first.refresh, in: policy)
        let text = String(decoding: try JSONEncoder().encode(backend.state()), as: UTF8.self)
        for facts in [first, second] {
            for secret in [facts.access.secret, try #require(facts.refresh).secret] {
                let token = secret.reveal()
                for part in token.split(separator: ".") where part.count >= 12 {
                    #expect(!text.contains(part.prefix(12)))
                }
            }
        }
        let session = backend.state().sessions[0]
        let refresh = try #require(second.refresh)
        #expect(session.refresh == Fingerprinter.testing.fingerprint(of: refresh).digits)
        #expect(session.access == Fingerprinter.testing.fingerprint(of: second.access).digits)
    }

    @Test("it survives JSON")
    func roundTrip() throws {
        let backend = Bench()
        let facts = try backend.login(in: .testing())
        _ = backend.refresh(RefreshToken(Secret("x")), in: .testing())
        _ = backend.protected(facts.access, in: .testing(), at: start + 60)
        let state = backend.state(at: start + 60)
        let data = try JSONEncoder().encode(state)
        #expect(try JSONDecoder().decode(BackendState.self, from: data) == state)
        #expect(state.counters["acme"]?.unauthorized == ["expired": 1])
    }

    @Test("an expired session says so, and since when")
    func expired() throws {
        let backend = Bench()
        _ = try backend.login(in: .testing())
        #expect(backend.state(at: start + 599).sessions[0].ended == nil)
        let session = backend.state(at: start + 700).sessions[0]
        #expect(session.ended == "expired")
        #expect(session.endedAt == start + 600)
    }
}
