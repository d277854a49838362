import Basics
import Testing

@testable import Profiles

@Suite("The evidence of an answer")
struct ResponseEvidenceTests {
    private static let fingerprinter = Fingerprinter(salt: Array(1...32))

    private static func evidence(
        status: Int = 401,
        statusLine: String? = nil,
        _ headers: [WireHeader] = [],
        _ body: [UInt8],
        hiding secrets: [String] = []
    ) -> ResponseEvidence {
        let known = KnownSecrets(fingerprinter: fingerprinter).adding(secrets.map { Secret($0) })
        let response = WireResponse(
            status: status,
            statusLine: statusLine,
            headers: headers,
            body: body
        )
        return ResponseEvidence(response, decidedBy: .unlisted, hiding: known)
    }

    private static func body(_ text: String, hiding secrets: String...) -> String {
        evidence([], Array(text.utf8), hiding: secrets).body
    }

    @Test("has the status line, the fields as they came, and of cookies the names")
    func headers() {
        let evidence = Self.evidence(
            statusLine: "HTTP/1.1 401 Unauthorized",
            [
                WireHeader("date", "Fri, 21 Nov 2025 14:00:00 GMT"),
                WireHeader("X-Trace", "abc"), WireHeader("retry-after", "7"),
                WireHeader("www-authenticate", "Bearer error=\"invalid_token\""),
                WireHeader("Set-Cookie", "refresh=hunter2; HttpOnly"),
                WireHeader("set-cookie", "csrf=letmein"),
            ],
            Array("{}".utf8)
        )
        #expect(evidence.statusLine == "HTTP/1.1 401 Unauthorized")
        #expect(
            evidence.headers == [
                WireHeader("date", "Fri, 21 Nov 2025 14:00:00 GMT"), WireHeader("X-Trace", "abc"),
                WireHeader("retry-after", "7"),
                WireHeader("www-authenticate", "Bearer error=\"invalid_token\""),
                WireHeader("Set-Cookie", "refresh, csrf"),
            ]
        )
        #expect(evidence.body == "{}" && evidence.bodyBytes == 2 && !evidence.isBodyCut)
    }

    @Test("counts the fields that are left out, and hides those that are secrets by their names")
    func manyFields() {
        let many = (1...60).map { WireHeader("X-Field-\($0)", "\($0)") }
        let evidence = Self.evidence(
            [
                WireHeader("X-Auth-Token", "hunter2"), WireHeader("Age", "12"),
                WireHeader("X-Cache", "HIT"),
                WireHeader("Location", "https://sso.example/login?code=abc&next=/me"),
            ] + many,
            []
        )
        #expect(evidence.headers.count == ResponseEvidence.fieldLimit)
        #expect(evidence.fieldsLeftOut == 64 - ResponseEvidence.fieldLimit)
        #expect(evidence.headers[0].value == KnownSecrets.hidden)
        #expect(evidence.headers[1...2].map(\.value) == ["12", "HIT"])
        #expect(!evidence.headers[3].value.contains("abc"))
        #expect(evidence.headers[3].value.hasPrefix("https://sso.example/login"))
    }

    @Test("is one line of what a terminal can show, whatever the server sends")
    func hostileText() {
        let evidence = Self.evidence(
            statusLine: "HTTP/1.1 401 \u{1B}[31mRed",
            [WireHeader("Retry-After", "7\u{202E}\u{7}")],
            Array("a\u{1B}]52;c;aGk=\u{7}\r\n\tb\u{202E}c\u{0}".utf8) + [0xFF, 0xFE]
        )
        let all = evidence.statusLine + evidence.headers.map(\.value).joined() + evidence.body
        #expect(all.unicodeScalars.allSatisfy { !$0.isUnseen })
        #expect(evidence.body.hasPrefix("a ]52;c;aGk= b c"))
    }

    @Test("is bounded, and says when there was more")
    func bounds() {
        let long = Self.evidence([], Array(repeating: UInt8(ascii: " "), count: 10_000_000))
        #expect(long.body.isEmpty && long.isBodyCut && long.bodyBytes == 10_000_000)
        let words = Array(String(repeating: "word ", count: 100_000).utf8)
        let value = String(repeating: "a b ", count: 999)
        let many = (0..<100).map { WireHeader("Date", "\($0) \(value)") }
        let refused = Self.evidence(many, words)
        #expect(refused.body.count == ResponseEvidence.bodyLimit && refused.isBodyCut)
        #expect(refused.headers.count == 48 && refused.fieldsLeftOut == 52)
        #expect(refused.headers.allSatisfy { $0.value.count <= ResponseEvidence.headerLimit })
        let accepted = Self.evidence(status: 200, [], words)
        #expect(accepted.body.count == ResponseEvidence.successBodyLimit)
    }

    @Test("has fingerprints in place of tokens, also where it cuts one")
    func knownSecrets() {
        let token = "rt-known-to-us-alone"
        let shown = Self.body(#"{"detail": "\#(token) was revoked"}"#, hiding: token)
        #expect(!shown.contains("known") && shown.contains("was revoked"))
        for length in 0..<60 {
            // Spaces are counted before they are joined, so that the cut moves over the token.
            let text = String(repeating: "x ", count: 1_000 + length) + token + " and more "
            let start = Self.body(text + String(repeating: "y ", count: 9_000), hiding: token)
            #expect(!start.contains("rt-k"), "\(length)")
        }
    }

    @Test(
        "has no value that is named like a secret, or looks like one",
        arguments: [
            #"{"refresh_token":"short"}"#, #"{"a":{"clientSecret" : "short"}}"#,
            #"{"password":"short\"er"}"#, #"{"id":"9f86d081884c7d659a2feaa0c55ad015"}"#,
            #"{"id":"eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJ1In0.c2hvcnQ"}"#, #"{"otp_token":"short"#,
            #"{"message":"Token eyJ9f86short not found"}"#,
            #"{"message":"password 'short9f86' is wrong"}"#,
        ]
    )
    func unknownSecrets(text: String) {
        let shown = Self.body(text)
        #expect(shown.contains("‹hidden›"))
        for part in ["short", "er\"", "9f86", "eyJ"] { #expect(!shown.contains(part)) }
    }

    @Test(
        "leaves everything else as it is",
        arguments: [
            #"{"detail":"Refresh token reused or revoked","token_type":"bearer"}"#,
            #"{"token_count":3,"at":"2025-11-21T14:00:00.123456Z","path":"/api/v1/auth/refresh"}"#,
            #"{"message":"internationalization","error":"token_expired"}"#,
            #"{"message":"Token not found: the token 'refresh' is no access token of yours"}"#,
        ]
    )
    func plainText(text: String) {
        #expect(Self.body(text) == text)
    }

    @Test("the tokens that an answer brings are found where the dialect has them")
    func issued() throws {
        let dialect = try #require(Dialect.builtIn().first { $0.name == "bitbasel" })
        let sample = Sample(dialect)
        let body = #"{"access_token":"\#(sample.access.secret.reveal())","refresh_token":"short"}"#
        let response = WireResponse(status: 200, body: Array(body.utf8))
        #expect(dialect.tokens(in: response).contains(sample.access.secret))
    }
}
