import Basics
import Testing

@testable import Profiles

@Suite("Requests that prove the possession of a key (RFC 9449)")
struct ProofTests {
    private func dialect() throws -> Dialect {
        try Dialect.oauth2("client_auth = \"public\"\nclient_id = \"me\"\ndpop = true")
    }

    @Test("the access token of section 7.1 has the scheme DPoP, and requests for tokens have none")
    func scheme() throws {
        let dialect = try dialect()
        let sample = Sample(dialect)
        let protected = dialect.protectedRequest(sample.access)
        #expect(protected.header("Authorization") == "DPoP \(sample.access.secret.reveal())")
        #expect(protected.proof == ProofOfPossession(access: sample.access))
        #expect(dialect.recognize(protected) == .protected(sample.access))
        let user = dialect.questionRequest(.user, about: sample.access.secret)
        #expect(user?.proof == ProofOfPossession(access: sample.access))
        for request in [
            try dialect.loginRequest(Sample.credentials), dialect.refreshRequest(sample.refresh),
        ] {
            #expect(request.proof == ProofOfPossession(access: nil))
            #expect(request.header("Authorization") == nil)
        }
        let revocation = dialect.logoutRequest(.this, refresh: sample.refresh, access: nil)
        #expect(try #require(revocation).proof == nil)
        let plain = Sample(try Dialect.oauth2())
        #expect(plain.dialect.protectedRequest(plain.access).proof == nil)
    }

    @Test("a token that is not bound is no answer to a request for one that is")
    func unbound() throws {
        for (type, isTaken) in [("DPoP", true), ("dpop", true), ("Bearer", false)] {
            let body = #"{"access_token": "a", "token_type": "\#(type)"}"#
            let response = WireResponse(status: 200, body: Array(body.utf8))
            let tokens: IssuedTokens? =
                if case .issued(let tokens) = try dialect().readLogin(response) { tokens } else {
                    nil
                }
            #expect((tokens != nil) == isTaken)
        }
    }

    @Test("a feed with a bearer token proves it in the upgrade")
    func feed() throws {
        let dialect = try Dialect.oauth2(
            "dpop = true\nfeed = { path = \"/feed?v=1\", token_in = \"bearer\" }"
        )
        let sample = Sample(dialect)
        let request = try #require(dialect.feedRequest(sample.access, since: nil))
        #expect(request.proof == ProofOfPossession(access: sample.access))
        let token = sample.access.secret.reveal()
        #expect(request.headers == [WireHeader("Authorization", "DPoP \(token)")])
    }

    @Test("a logout with the access token keeps the key until it is sent")
    func logout() throws {
        let dialect = try Dialect.oauth2(
            """
            dpop = true
            client_auth = "public"
            logout.everywhere = { request = "POST /out", access_in = "bearer" }
            """
        )
        #expect(dialect.logoutNeeds[.everywhere]?.captures == [CapturedValues.proofKeyName])
        #expect(dialect.logoutNeeds[.this]?.captures == [])
    }

    @Test("the thumbprint and the hash are those of the examples in sections 6.1 and 7.1")
    func examples() throws {
        let key = try #require(
            PublicKey([
                "kty": "EC", "crv": "P-256", "x": "l8tFrhx-34tV3hRICRDY9zCkDlpBhF42UQUfWVAWBFs",
                "y": "9VE4jf_Ok_o64zbTTlcuNJajHmt6v9TDVrU0CdvGRDA",
            ])
        )
        #expect(key.thumbprint == "0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I")
        let access = AccessToken(Secret("Kz~8mXK1EalYznwH-LC-1fBAo.4Ljp~zsPE_NeO.gxU"))
        #expect(
            ProofOfPossession.hash(of: access) == "fUHyO2r2Z3DZ53EsNrWBb0xWXoaNy59IiKCAqksmQEo"
        )
    }

    @Test("the proof has the claims of section 4.2")
    func claims() throws {
        let key = try #require(
            PublicKey([
                "kty": "EC", "crv": "P-256", "x": "l8tFrhx-34tV3hRICRDY9zCkDlpBhF42UQUfWVAWBFs",
                "y": "9VE4jf_Ok_o64zbTTlcuNJajHmt6v9TDVrU0CdvGRDA",
            ])
        )
        let access = AccessToken(Secret("Kz~8mXK1EalYznwH-LC-1fBAo.4Ljp~zsPE_NeO.gxU"))
        let token = ProofOfPossession(access: access).unsigned(
            method: "GET",
            url: "https://resource.example.org/protectedresource",
            key: key,
            nonce: "eyJ7S_zG.eyJbYu3.xBmv-JpZWPZKt8x5",
            now: 1_562_262_618.5,
            id: "e1j3V_bKic8-LAEB"
        )
        #expect(token.header == ["typ": "dpop+jwt", "jwk": key.json])
        #expect(
            token.claims == [
                "jti": "e1j3V_bKic8-LAEB", "htm": "GET",
                "htu": "https://resource.example.org/protectedresource",
                "iat": .integer(1_562_262_618),
                "ath": "fUHyO2r2Z3DZ53EsNrWBb0xWXoaNy59IiKCAqksmQEo",
                "nonce": "eyJ7S_zG.eyJbYu3.xBmv-JpZWPZKt8x5",
            ]
        )
    }

    @Test(
        "a nonce alone is refused as sections 8 and 9 have it, and no refresh token is spent by it",
        arguments: [
            (400, #"{"error": "use_dpop_nonce"}"#, "", true),
            (400, #"{"error": "invalid_grant"}"#, "", false),
            (401, "", #"DPoP error="use_dpop_nonce", error_description="x""#, true),
            (401, "", #"DPoP error="invalid_token""#, false),
            (500, #"{"error": "use_dpop_nonce"}"#, "", false),
        ]
    )
    func nonce(status: Int, body: String, challenge: String, isNonce: Bool) throws {
        let response = WireResponse(
            status: status,
            headers: [
                WireHeader("WWW-Authenticate", challenge), WireHeader("DPoP-Nonce", "n-1"),
            ],
            body: Array(body.utf8)
        )
        #expect(ProofOfPossession.isNonceRefused(by: response) == isNonce)
        #expect(ProofOfPossession.nonce(in: response) == "n-1")
        guard isNonce else { return }
        if status == 400 {
            guard case .failed = try dialect().readRefresh(response) else {
                Issue.record("the refresh token counts as refused")
                return
            }
        } else {
            #expect(try dialect().readProtected(response) == .inconclusive(retryAfter: nil))
        }
    }

    @Test("a nonce that is none is not taken", arguments: ["", "a b", "a\"b", "ä"])
    func malformed(nonce: String) {
        let response = WireResponse(status: 400, headers: [WireHeader("DPoP-Nonce", nonce)])
        #expect(ProofOfPossession.nonce(in: response) == nil)
    }
}
