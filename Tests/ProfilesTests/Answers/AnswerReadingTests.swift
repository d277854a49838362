import Basics
import Testing

@testable import Profiles

@Suite("The reading of an answer")
struct AnswerReadingTests {
    private static func reading(
        _ status: Int,
        _ json: JSONValue,
        to request: RecognizedRequest? = nil,
        hiding secrets: KnownSecrets = .none
    ) -> AnswerReading {
        let response = WireResponse(
            status: status,
            headers: [
                WireHeader("Content-Type", "application/json"),
                WireHeader("Cache-Control", "private, no-store"),
            ],
            body: Array(json.serialized.utf8)
        )
        return AnswerReading(
            response,
            to: request,
            method: "POST",
            by: Dialect.builtIn(named: "oauth2").map(Shared.init),
            recognition: .builtIn,
            isEmpty: false,
            hiding: secrets
        )
    }

    private static let pair: JSONValue = [
        "access_token": "the-access-token", "refresh_token": "the-refresh-token",
        "expires_in": 300, "token_type": "Bearer", "scope": "read write",
    ]

    @Test("finds the same tokens, lifetimes and scopes with a profile and without one")
    func tokens() {
        let exact = Self.reading(200, Self.pair, to: .refresh(nil))
        let found = Self.reading(200, Self.pair)
        #expect(exact.meaning?.kind == .issued)
        #expect(found.meaning == nil)
        for reading in [exact, found] {
            #expect(reading.tokens.map(\.role) == [.access, .refresh])
            #expect(reading.tokens.map(\.path) == ["access_token", "refresh_token"])
            #expect(reading.tokens.first?.evidence.first == .lifetime(seconds: 300))
            #expect(reading.scopes == ["read", "write"])
            #expect(reading.forbidsStoring)
            #expect(reading.errorCode == nil)
        }
    }

    @Test("a refusal has its code with a profile and without one, and no tokens with a profile")
    func refusal() {
        let body: JSONValue = ["error": "invalid_grant", "access_token": "not-a-token-of-it"]
        let exact = Self.reading(400, body, to: .refresh(nil))
        let found = Self.reading(400, body)
        #expect(exact.meaning?.kind == .refused)
        #expect(exact.tokens.isEmpty && found.tokens.isEmpty)
        for reading in [exact, found] {
            #expect(reading.errorCode == "invalid_grant")
            #expect(reading.errorKey == "error")
            #expect(reading.refuses.contains(.refreshForGood))
        }
    }

    @Test("what a profile calls a failure brings no tokens, although names say so")
    func unusable() {
        let body: JSONValue = ["data": ["access_token": "somewhere-else"]]
        let exact = Self.reading(200, body, to: .refresh(nil))
        #expect(exact.meaning?.kind == .inconclusive)
        #expect(exact.tokens.isEmpty)
        #expect(Self.reading(200, body).tokens.count == 1)
    }

    private static let words: [(body: String, type: String, own: String?, common: String?)] = [
        (#"{"message": "one", "note": "two"}"#, "application/json", "two", "one"),
        (#"{"message": "one"}"#, "application/json", "one", "one"),
        (#"{"code": "out_of_luck"}"#, "application/json", "out_of_luck", "out_of_luck"),
        ("<Error><Message>no luck</Message></Error>", "text/xml", "no luck", "no luck"),
        ("<title>Gateway</title>", "text/html", "Gateway", "Gateway"),
        ("{}", "text/plain", nil, nil),
    ]

    @Test("the server's words are those of the profile's places first", arguments: words)
    func serverWords(body: String, type: String, own: String?, common: String?) throws {
        let response = WireResponse(400, json: body, headers: ["Content-Type": type])
        let dialect = try Dialect.sketch(top: #"error_message = "note""#)
        func said(to request: RecognizedRequest?) -> String? {
            AnswerReading(
                response,
                to: request,
                method: "POST",
                by: Shared(dialect),
                recognition: .builtIn,
                isEmpty: false
            )
            .serverWords(with: [], hiding: .none)
        }
        #expect(said(to: .refresh(nil)) == own)
        #expect(dialect.serverWords(in: response, hiding: .none) == own)
        #expect(said(to: nil) == common)
    }

    private static let codes: [(code: String, isOne: Bool)] = [
        ("invalid_grant", true), ("Token.Expired", true), ("not-found", true), ("E42", true),
        ("AADSTS70008", true), ("390114", true), ("a1b2", false), ("session0123456789", false),
        ("", false), ("two words", false), ("_x", false), ("x__y", false),
        (String(repeating: "a", count: 41), false),
    ]

    @Test("the code of an error is a few words, and no secret", arguments: codes)
    func code(code: String, isOne: Bool) {
        let body: JSONValue = ["error": .string(code)]
        #expect(Self.reading(400, body).errorCode == (isOne ? code : nil))
        let secrets = KnownSecrets(fingerprinter: Fingerprinter(salt: [1]))
            .adding([Secret("not-found"), Secret("invalid_grant")])
        // The one is a word of a protocol.
        let isHidden = code == "not-found" || !isOne
        #expect(Self.reading(400, body, hiding: secrets).errorCode == (isHidden ? nil : code))
    }
}
