import Basics
import FoundationEssentials
import Testing

@testable import Profiles

@Suite("Answers with tokens in other forms than JSON of OAuth")
struct AnswerFormTests {
    private static let access = "the-access-token-1"
    private static let refresh = "the-refresh-token-1"
    private static let form =
        "access_token=\(access)&expires_in=300&refresh_token=\(refresh)&scope=&token_type=bearer"
    private static let json =
        "{\"access_token\": \"\(access)\", \"expires_in\": 300, \"refresh_token\": \"\(refresh)\"}"

    private static func reading(
        _ body: String,
        type: String? = "application/json",
        status: Int = 200,
        headers: [WireHeader] = []
    ) -> AnswerReading {
        let types = type.map { [WireHeader("Content-Type", $0)] } ?? []
        return AnswerReading(
            WireResponse(status: status, headers: types + headers, body: Array(body.utf8)),
            to: nil,
            method: "POST",
            by: nil,
            recognition: .builtIn,
            isEmpty: body.isEmpty
        )
    }

    @Test(
        "a pair is read whatever its type is called, and whatever guards it",
        arguments: [
            (form, "application/x-www-form-urlencoded; charset=utf-8"), (form, "text/plain"),
            (form + "\n", ""), (json, "text/plain"), (json, "text/html"),
            (json, "application/octet-stream"), (")]}',\n" + json, "application/json"),
            ("while(1);" + json, "application/json"), ("cb(\(json));", "application/javascript"),
        ]
    )
    func pair(body: String, type: String) {
        let reading = Self.reading(body, type: type.isEmpty ? nil : type)
        #expect(reading.tokens.map { $0.secret.reveal() } == [Self.access, Self.refresh])
        #expect(reading.tokens.map(\.path) == ["access_token", "refresh_token"])
        #expect(reading.tokens.first?.evidence == [.lifetime(seconds: 300)])
        #expect(reading.tokens.first?.expiryField == "seconds:expires_in")
    }

    @Test(
        "text that only looks like a form brings nothing",
        arguments: [
            "token=abc", "a=b&c=d", "1=1", "error: x=y z", "<a href=\"?token=abcdefghij\">",
        ]
    )
    func noForm(body: String) {
        #expect(Self.reading(body, type: "text/plain").tokens.isEmpty)
    }

    private static let members: [(body: String, access: Double?, refresh: Double?)] = [
        ("\"token\": T, \"masterToken\": R, \"validityInSeconds\": 300", 300, nil),
        (
            "\"sessionToken\": T, \"masterToken\": R, \"validityInSecondsST\": 300, "
                + "\"validityInSecondsMT\": 9000", 300, 9000
        ),
        ("\"jwt\": T, \"rt\": R, \"ttl\": 300", 300, nil),
        ("\"accessJwt\": T, \"refreshJwt\": R", nil, nil),
        ("\"access_token\": T, \"refresh_token\": R, \"valid_for\": \"300s\"", 300, nil),
        (
            "\"access_token\": T, \"refresh_token\": R, \"expires_in\": \"300\", "
                + "\"x_refresh_token_expires_in\": 9000", 300, 9000
        ),
        ("\"token\": T, \"refreshToken\": R, \"expires\": 300", 300, nil),
        ("\"token\": T, \"refreshToken\": R, \"expires\": \"PT5M\"", 300, nil),
        ("\"token\": T, \"refreshToken\": R, \"expires_in\": \"PT1H30M\"", 5_400, nil),
        (
            "\"token\": T, \"refreshToken\": R, \"expires_in\": \"PT300S\", \"refresh_expires_in\": \"P1D\"",
            300, 86_400
        ),
        ("\"token\": T, \"refreshToken\": R, \"expires_in\": \"P1Y\"", nil, nil),
        ("\"token\": T, \"refreshToken\": R, \"expires_in\": \"PT\"", nil, nil),
        ("\"token\": \"Bearer the-access-token-1\", \"refreshToken\": R", nil, nil),
    ]

    @Test("a pair is read under other names, with its ends", arguments: members)
    func names(body: String, access: Double?, refresh: Double?) {
        let members = body.replacing("T,", with: "\"\(Self.access)\",")
            .replacing("R", with: "\"\(Self.refresh)\"")
        let reading = Self.reading("{\(members)}")
        #expect(Set(reading.tokens.map(\.role)) == [.access, .refresh], "\(members)")
        for token in reading.tokens {
            let isAccess = token.role == .access
            #expect(token.secret.reveal() == (isAccess ? Self.access : Self.refresh))
            let life = isAccess ? access : refresh
            // `ttl` and `expires` state no unit.
            let isAssumed = body.contains("\"ttl\": 300") || body.contains("\"expires\": 300")
            let evidence = life.map { seconds -> ExpiryEvidence in
                isAssumed ? .assumedUnit(seconds: seconds) : .lifetime(seconds: seconds)
            }
            #expect(token.evidence == [evidence].compactMap(\.self), "\(members)")
        }
    }

    private static let ends: [(value: String, field: String?)] = [
        ("1763733900", "unix_seconds:expires_on"),
        ("\"1763733900\"", "unix_seconds:expires_on"),
        ("1763733900000", "unix_milliseconds:expires_on"),
        ("\"2025-11-21T14:05:00Z\"", "iso8601:expires_on"),
        ("\"Fri, 21 Nov 2025 14:05:00 GMT\"", "http_date:expires_on"),
        ("300", "seconds:expires_on"), ("253402300799", nil), ("253402300799000", nil),
        ("\"9999-12-31T23:59:59Z\"", nil), ("0", nil), ("-1", nil),
    ]

    @Test("an end has its unit by its size, and the year 9999 is none", arguments: ends)
    func end(value: String, field: String?) {
        let body = "{\"access_token\": \"\(Self.access)\", \"expires_on\": \(value)}"
        let token = Self.reading(body).tokens.first
        #expect(token?.expiryField == field)
        #expect(token?.evidence.isEmpty == (field == nil))
    }

    @Test(
        "an end is read as .NET writes it",
        arguments: [
            "/Date(1763733900000)/", "/Date(1763733900000+0100)/", "\\/Date(1763733900000)\\/",
        ]
    )
    func dotNET(text: String) {
        let body = "{\"access_token\": \"\(Self.access)\", \"expires_on\": \"\(text)\"}"
        let end = Date(timeIntervalSince1970: 1_763_733_900)
        #expect(Self.reading(body).tokens.first?.evidence == [.instant(end)])
    }

    @Test("what ends something else says nothing of a token")
    func otherEnds() {
        let body =
            "{\"access_token\": \"\(Self.access)\", \"plan\": {\"expires\": 99, \"exp\": 5, \"ttl\": 7}}"
        #expect(Self.reading(body).tokens.first?.evidence.isEmpty == true)
    }

    @Test("a token in a header has the end that the body states")
    func header() {
        let header = WireHeader("X-Subject-Token", Self.access)
        let body = "{\"token\": {\"expires_at\": \"2025-11-21T14:05:00Z\"}}"
        let token = Self.reading(body, status: 201, headers: [header]).tokens.first
        #expect(token?.place == .header && token?.role == .access)
        #expect(token?.evidence.count == 1)
    }

    @Test("a redirection brings what its fragment has, and its error is the answer's")
    func redirection() {
        let found = Self.reading(
            "",
            type: nil,
            status: 302,
            headers: [WireHeader("Location", "https://a.example/cb#\(Self.form)&state=x")]
        )
        #expect(found.tokens.map(\.role) == [.access, .refresh])
        #expect(found.tokens.first?.evidence == [.lifetime(seconds: 300)])
        #expect(found.tokens.allSatisfy { $0.path == nil })
        for mark in ["#", "?"] {
            let refused = Self.reading(
                "",
                type: nil,
                status: 302,
                headers: [WireHeader("Location", "/cb\(mark)error=login_required&state=x")]
            )
            #expect(refused.errorCode == "login_required")
            #expect(refused.errorKey == nil && refused.tokens.isEmpty)
        }
    }

    @Test("a cookie holds its token without a scheme and quotes")
    func cookie() {
        let header = WireHeader("Set-Cookie", "access_token=\"Bearer \(Self.access)\"; HttpOnly")
        let token = Self.reading("{}", headers: [header]).tokens.first
        #expect(token?.secret.reveal() == Self.access)
        #expect(token?.place == .cookie)
    }
}
