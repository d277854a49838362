import Basics
import Profiles
import Testing

@testable import Backend

@Suite("Backend: tokens")
struct TokenMintTests {
    private static let webTokens = TokenFormats(access: .jwt, refresh: .jwt)

    @Test("a web token says who it is for, and its times in whole seconds")
    func webToken() throws {
        let backend = Bench()
        let policy = BackendPolicy.testing(formats: Self.webTokens)
        let facts = try backend.login(in: policy, at: start + 0.9)
        let access = try #require(JSONWebToken(reading: facts.access.secret))
        #expect(access.algorithm == "HS256")
        #expect(access.subject == "123")
        #expect(access.claims["type"] == "access")
        #expect(access.issuedAt == start)
        #expect(access.expiresAt == start + 60)
        let refresh = try #require(facts.refresh.flatMap { JSONWebToken(reading: $0.secret) })
        #expect(refresh.claims["type"] == "refresh")
        #expect(refresh.expiresAt == start + 600)
        #expect(refresh.claims["jti"] != access.claims["jti"])
        #expect(refresh.claims["sid"] == access.claims["sid"])
    }

    @Test("a web token minted at x.9 s dies when it says, up to a second early")
    func wholeSeconds() throws {
        let backend = Bench()
        let policy = BackendPolicy.testing(formats: Self.webTokens)
        let facts = try backend.login(in: policy, at: start + 0.9)
        #expect(backend.opens(facts.access, in: policy, at: start + 59.99))
        #expect(!backend.opens(facts.access, in: policy, at: start + 60))
    }

    @Test("two web tokens of the same second differ")
    func unique() throws {
        let backend = Bench()
        let policy = BackendPolicy.testing(formats: Self.webTokens, rotation: .keeps)
        let first = try backend.login(in: policy)
        let second = try backend.renew(first.refresh, in: policy)
        #expect(first.access != second.access)
    }

    @Test("a web token that was tampered with opens nothing")
    func tampered() throws {
        let backend = Bench()
        let policy = BackendPolicy.testing(formats: Self.webTokens)
        let facts = try backend.login(in: policy)
        let text = facts.access.secret.reveal()
        let forged = AccessToken(Secret(String(text.dropLast(4)) + "AAAA"))
        #expect(backend.access(forged, in: policy) == .refused(.invalid))
    }

    @Test("a UUID is one of version 4")
    func uuid() throws {
        let backend = Bench()
        let policy = BackendPolicy.testing(formats: TokenFormats(access: .opaque, refresh: .uuid))
        let text = try #require(try backend.login(in: policy).refresh).secret.reveal()
        #expect(TokenFormat.uuid.admits(Secret(text)))
        let characters = Array(text)
        #expect(characters[14] == "4")
        #expect("89ab".contains(characters[19]))
    }

    @Test("absurd lifetimes are kept within bounds", arguments: [-1.0, .nan, .infinity, 1e300])
    func bounds(seconds: Double) throws {
        var policy = BackendPolicy.testing(formats: Self.webTokens)
        policy.accessLifetime = seconds
        policy.refreshLifetime = seconds
        #expect((0...BackendPolicy.longestLifetime).contains(policy.accessLifetime))
        let backend = Bench()
        _ = try backend.login(in: policy)
    }
}
