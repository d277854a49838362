import Basics
import Foundation
import Profiles
import Testing

@Suite("Zone inference: voltyks writes times without a zone")
struct ZoneInferenceTests {
    @Test(
        "the answer's Date tells the zone to the quarter of an hour",
        arguments: [
            ("2026-01-06T14:18:40", "2026-01-13T13:48:40", 0.0),
            ("2026-01-06T15:18:40", "2026-01-13T14:48:40", 1),
            ("2026-01-06T09:18:40", "2026-01-13T08:48:40", -5),
            ("2026-01-06T19:48:40", "2026-01-13T19:18:40", 5.5),
            ("2026-01-06T20:03:40", "2026-01-13T19:33:40", 5.75),
            ("2026-01-07T04:18:40", "2026-01-14T03:48:40", 14),
            ("2026-01-06T02:18:40", "2026-01-13T01:48:40", -12),
        ]
    )
    func zones(access: String, refresh: String, hours: Double) throws {
        let tokens = try read(access: access, refresh: refresh)
        #expect(tokens.accessEvidence.first == .inferredZone(try instant("2026-01-06T14:18:40Z")))
        #expect(tokens.refreshEvidence == [.inferredZone(try instant("2026-01-13T13:48:40Z"))])
    }

    @Test(
        "a Date some minutes off is rounded away",
        arguments: ["13:48:41", "13:55:00", "13:42:00", "13:41:30"]
    )
    func rounding(time: String) throws {
        let tokens = try read(
            access: "2026-01-06T16:18:40",
            refresh: "2026-01-13T15:48:40",
            date: "Tue, 06 Jan 2026 \(time) GMT"
        )
        #expect(tokens.accessEvidence.first == .inferredZone(try instant("2026-01-06T14:18:40Z")))
    }

    @Test("a change to summer time between the two ends gives each its own zone")
    func summerTime() throws {
        // Berlin, three days before 29 March 2026: the access token ends in winter time.
        let tokens = try read(
            access: "2026-03-26T15:18:40",
            refresh: "2026-04-02T15:48:40",
            date: "Thu, 26 Mar 2026 13:48:40 GMT"
        )
        #expect(tokens.accessEvidence.first == .inferredZone(try instant("2026-03-26T14:18:40Z")))
        #expect(tokens.refreshEvidence == [.inferredZone(try instant("2026-04-02T13:48:40Z"))])
    }

    @Test(
        "UTC is taken where nothing else can be known",
        arguments: [
            // No Date.
            ("2026-01-06T16:18:40", "2026-01-13T15:48:40", nil),
            // The lifetimes are not the documented ones.
            ("2026-01-06T13:49:00", "2026-01-13T13:48:40", "Tue, 06 Jan 2026 13:48:40 GMT"),
            // One field alone proves nothing.
            ("2026-01-06T16:18:40", "", "Tue, 06 Jan 2026 13:48:40 GMT"),
            // No zone is so far from UTC.
            ("2026-01-09T16:18:40", "2026-01-16T15:48:40", "Tue, 06 Jan 2026 13:48:40 GMT"),
        ] as [(String, String, String?)]
    )
    func fallback(access: String, refresh: String, date: String?) throws {
        let tokens = try read(access: access, refresh: refresh, date: date)
        #expect(tokens.accessEvidence.first == .assumedZone(try instant("\(access)Z")))
    }

    @Test("the access token's own exp knows the zone best, whatever the lifetimes")
    func webToken() throws {
        let end = try instant("2026-01-06T13:49:00Z")
        let token = Sample.webToken(["exp": .number(end.timeIntervalSince1970)])
        let tokens = try read(
            access: "2026-01-06T15:49:00",
            refresh: "2026-01-06T15:53:40",
            token: token
        )
        #expect(
            tokens.accessEvidence == [
                .inferredZone(end),
                .webToken(expiresAt: end.timeIntervalSince1970, issuedAt: nil),
                .documented(seconds: 1800),
            ]
        )
        #expect(tokens.refreshEvidence == [.inferredZone(try instant("2026-01-06T13:53:40Z"))])
    }

    @Test("empty texts are absent, never the epoch")
    func empty() throws {
        let tokens = try read(access: "", refresh: "")
        #expect(tokens.accessEvidence == [.documented(seconds: 1800)])
        #expect(tokens.refreshEvidence == [.documented(seconds: 604_800)])
    }

    private func read(
        access: String,
        refresh: String,
        date: String? = "Tue, 06 Jan 2026 13:48:40 GMT",
        token: Secret = Secret("opaque")
    ) throws -> IssuedTokens {
        let body = JSONValue.object([
            "status": true,
            "data": [
                "accessToken": .string(token.reveal()), "refreshToken": "r",
                "accessTokenExpiresAt": .string(access), "refreshTokenExpiresAt": .string(refresh),
            ],
        ])
        let response = WireResponse(
            status: 200,
            headers: date.map { [WireHeader("date", $0)] } ?? [],
            body: Array(body.serialized.utf8)
        )
        let dialect = try #require(Dialect.builtIn(named: "voltyks"))
        return try #require(dialect.readRefresh(response).tokens)
    }
}
