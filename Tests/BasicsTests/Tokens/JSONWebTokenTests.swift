import Basics
import Testing

@Suite("JSONWebToken")
struct JSONWebTokenTests {
    private static func token(
        header: String = #"{"alg":"HS256"}"#,
        claims: String,
        signature: String = "c2ln"
    ) -> Secret {
        Secret(
            [Base64URL.encode(header.utf8), Base64URL.encode(claims.utf8), signature]
                .joined(separator: ".")
        )
    }

    @Test("its times, subject and algorithm are read")
    func reads() throws {
        let claims = #"{"sub":"u1","iat":1000,"nbf":999.5,"exp":"1900"}"#
        let token = try #require(JSONWebToken(reading: Self.token(claims: claims)))
        #expect(token.algorithm == "HS256")
        #expect(token.subject == "u1")
        #expect(token.issuedAt == 1000)
        #expect(token.notBefore == 999.5)
        #expect(token.expiresAt == 1900)
    }

    @Test("a subject that is a number is read as text")
    func numericSubject() throws {
        let token = try #require(JSONWebToken(reading: Self.token(claims: #"{"sub":42}"#)))
        #expect(token.subject == "42")
    }

    @Test("a token without a signature is read all the same: nothing is verified here")
    func unsigned() {
        let secret = Self.token(header: #"{"alg":"none"}"#, claims: "{}", signature: "")
        #expect(JSONWebToken(reading: secret)?.algorithm == "none")
    }

    @Test(
        "a time outside the years 1970 to 9999 is as good as absent",
        arguments: [
            "-1", "253402300800", "1e300", "true", "null", #""soon""#, #""NaN""#, #""inf""#,
            "[1]", #"{"s":1}"#,
        ]
    )
    func hostileTimes(value: String) throws {
        let claims = #"{"exp":\#(value),"iat":\#(value)}"#
        let token = try #require(JSONWebToken(reading: Self.token(claims: claims)))
        #expect(token.expiresAt == nil)
        #expect(token.issuedAt == nil)
    }

    @Test(
        "whatever is no web token is opaque",
        arguments: [
            Secret(""), Secret("."), Secret(".."), Secret("..."), Secret("a.b"),
            Secret("a.b.c"), Secret("a.b.c.d"), Secret("e30.e30"), Secret("e30.e30.c2ln.c2ln"),
            token(header: "[]", claims: "{}"), token(claims: "[1]"), token(claims: "null"),
            token(claims: "{"), token(claims: "{}{}"), token(claims: ""),
            Secret("e30.\u{FEFF}e30.c2ln"), Secret("e30.e30=.c2ln"),
            token(claims: String(repeating: "[", count: 20_000)),
            token(claims: #"{"a":"# + String(repeating: "[", count: 600)),
        ]
    )
    func garbage(secret: Secret) {
        #expect(JSONWebToken(reading: secret) == nil)
    }

    @Test("a claim outside the range of numbers makes it opaque, and does no harm")
    func hugeNumber() {
        #expect(JSONWebToken(reading: Self.token(claims: #"{"exp":1e999}"#)) == nil)
    }

    @Test("one larger than 64 KiB is not looked into")
    func tooLarge() {
        let padding = String(repeating: "x", count: 60_000)
        let claims = #"{"exp":1900,"padding":"\#(padding)"}"#
        #expect(JSONWebToken(reading: Self.token(claims: claims)) == nil)
    }

    @Test("of a claim that is there twice, one counts and nothing breaks")
    func duplicateClaims() throws {
        let claims = #"{"exp":1,"exp":2}"#
        let token = try #require(JSONWebToken(reading: Self.token(claims: claims)))
        #expect([1, 2].contains(token.expiresAt))
    }
}
