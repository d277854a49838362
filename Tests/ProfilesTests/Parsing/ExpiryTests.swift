import Basics
import Foundation
import Profiles
import Testing

@Suite("Expiry: the forms in which an answer says when a token ends")
struct ExpiryTests {
    @Test(
        "every form is understood, with numbers in texts too",
        arguments: [
            ("seconds", "900", .lifetime(seconds: 900)),
            ("seconds", #""900""#, .lifetime(seconds: 900)),
            ("seconds", "0.5", .lifetime(seconds: 0.5)),
            ("milliseconds", "20000", .lifetime(seconds: 20)),
            ("unix_seconds", "1767709120", .instant(Date(timeIntervalSince1970: 1_767_709_120))),
            (
                "unix_seconds", #""1767709120.5""#,
                .instant(Date(timeIntervalSince1970: 1_767_709_120.5))
            ),
            (
                "unix_milliseconds", "1767709120500",
                .instant(Date(timeIntervalSince1970: 1_767_709_120.5))
            ),
            (
                "iso8601", #""2026-01-06T14:18:40Z""#,
                .instant(Date(timeIntervalSince1970: 1_767_709_120))
            ),
            (
                "iso8601", #""2026-01-06T16:18:40+02:00""#,
                .instant(Date(timeIntervalSince1970: 1_767_709_120))
            ),
            (
                "iso8601", #""2026-01-06T14:18:40""#,
                .assumedZone(Date(timeIntervalSince1970: 1_767_709_120))
            ),
            (
                "http_date", #""Tue, 06 Jan 2026 14:18:40 GMT""#,
                .instant(Date(timeIntervalSince1970: 1_767_709_120))
            ),
        ] as [(String, String, ExpiryEvidence)]
    )
    func forms(kind: String, value: String, expected: ExpiryEvidence) throws {
        #expect(try evidence(kind, value) == [expected])
    }

    @Test(
        "what is empty is as good as absent, and so is the time 0",
        arguments: [
            ("seconds", #""""#), ("seconds", "null"), ("unix_seconds", "0"),
            ("unix_milliseconds", "0"), ("iso8601", #""""#), ("seconds_unless_zero", "0"),
            ("seconds_unless_zero", #""0""#),
        ]
    )
    func absent(kind: String, value: String) throws {
        #expect(try evidence(kind, value) == [])
    }

    @Test(
        "what cannot be meant gives no expiry, and why is known",
        arguments: [
            ("seconds", "0", .notPositive), ("seconds", "-5", .notPositive),
            ("seconds_unless_zero", "-5", .notPositive),
            ("milliseconds", "0", .notPositive), ("seconds", "true", .unreadable),
            ("seconds", "[900]", .unreadable), ("seconds", #"{"n": 900}"#, .unreadable),
            ("seconds", "1796081150", .instant), ("seconds", #""1796081150.5""#, .instant),
            ("seconds", "1796081150000", .instant), ("milliseconds", "1796081150000", .instant),
            ("seconds_unless_zero", "1796081150", .instant),
            ("seconds", #""soon""#, .unreadable), ("seconds", #""nan""#, .unreadable),
            ("seconds", #""inf""#, .unreadable), ("unix_seconds", "-1", .unreadable),
            ("unix_seconds", "1e300", .unreadable),
            ("unix_seconds", "1767709120000", .milliseconds),
            ("unix_milliseconds", "1767709120", .seconds),
            ("iso8601", "1767709120", .unreadable),
            ("iso8601", #""2026-02-30T00:00:00Z""#, .unreadable),
            ("iso8601", #""0001-01-01T00:00:00Z""#, .unreadable),
            ("http_date", #""tomorrow""#, .unreadable),
        ] as [(String, String, UnusableExpiry.Problem)]
    )
    func unusable(kind: String, value: String, problem: UnusableExpiry.Problem) throws {
        let statements = try evidence(kind, value).map(\.unusable)
        #expect(statements.map { $0?.problem } == [problem])
        #expect(statements.map { $0?.place } == ["ends"])
    }

    @Test("a token whose exp is in milliseconds gives no expiry, and why is known")
    func webTokenInMilliseconds() throws {
        let dialect = try Dialect.sketch(top: "[lifetimes]\naccess = \"15m\"")
        let token = Sample.webToken(["exp": 2_000_000_000_000]).reveal()
        let response = WireResponse(200, json: #"{"access": "\#(token)"}"#)
        let tokens = try #require(dialect.readRefresh(response).tokens)
        #expect(tokens.unusableExpiries.access.map(\.problem) == [.milliseconds])
        #expect(tokens.accessEvidence.last == .documented(seconds: 900))
    }

    @Test(
        "a lifetime of more than ten years is cut to them",
        arguments: ["1576800000", "2147483647", "9999999999", "99999999999999"]
    )
    func bounded(value: String) throws {
        #expect(try evidence("seconds", value) == [.lifetime(seconds: 315_360_000)])
    }

    @Test("what the documentation says comes last, and never alone as the token's own word")
    func documented() throws {
        let dialect = try Dialect.sketch(
            answer: #"access_expires = ["seconds:ttl", "unix_seconds:exp"]"#,
            top: "[lifetimes]\naccess = \"15m\"\nrefresh = 3600"
        )
        let token = Sample.webToken(["exp": 2_000_000_000, "iat": 1_999_999_100]).reveal()
        let full = #"{"access": "\#(token)", "refresh": "r", "ttl": 60, "exp": 2000000000}"#
        let tokens = try #require(dialect.readRefresh(WireResponse(200, json: full)).tokens)
        #expect(
            tokens.accessEvidence == [
                .lifetime(seconds: 60),
                .instant(Date(timeIntervalSince1970: 2_000_000_000)),
                .webToken(expiresAt: 2_000_000_000, issuedAt: 1_999_999_100),
                .documented(seconds: 900),
            ]
        )
        #expect(tokens.refreshEvidence == [.documented(seconds: 3600)])
    }

    @Test("a refresh token that does not slide begins its documented life at the login only")
    func absolute() throws {
        let dialect = try Dialect.sketch(
            top: "[lifetimes]\nrefresh = \"7d\"\nrefresh_slides = false"
        )
        let response = WireResponse(200, json: #"{"access": "a", "refresh": "r"}"#)
        #expect(
            dialect.readLogin(response).tokens?.refreshEvidence == [.documented(seconds: 604_800)]
        )
        #expect(dialect.readRefresh(response).tokens?.refreshEvidence == [])
    }

    @Test("without a refresh token in the answer, nothing is assumed about one")
    func kept() throws {
        let dialect = try Dialect.sketch(top: "[lifetimes]\nrefresh = \"7d\"")
        let response = WireResponse(200, json: #"{"access": "a"}"#)
        let tokens = try #require(dialect.readRefresh(response).tokens)
        #expect(tokens.refresh == nil)
        #expect(tokens.refreshEvidence == [])
    }

    private func evidence(_ kind: String, _ value: String) throws -> [ExpiryEvidence] {
        let dialect = try Dialect.sketch(answer: "access_expires = \"\(kind):ends\"")
        let response = WireResponse(200, json: #"{"access": "a", "ends": \#(value)}"#)
        return try #require(dialect.readRefresh(response).tokens).accessEvidence
    }
}
