import Basics
import Client
import Model
import Profiles
import Testing
import UI

@testable import Backend
@testable import Lab
@testable import Simulation

@Suite("Forecast", .aside, .serialized)
struct ForecastTests {
    private func forecast(_ name: String, days: Double) throws -> Forecast {
        let dialect = try #require(Dialect.builtIn(named: name))
        // Requests are the most of what happens, and few of them show as much.
        return Forecast.run(
            Forecast.Question(dialect: dialect, days: days, requestEvery: 14_400),
            causes: CauseText()
        )
    }

    private func row(
        _ client: Forecast.Client,
        _ backend: Forecast.BackendBehavior,
        of forecast: Forecast
    ) throws -> Forecast.Row {
        try #require(forecast.rows.first { $0.client == client && $0.backend == backend })
    }

    private static let day = 86_400.0

    @Test("thirty days and thirty days: who waits for the 401 is signed out on day 30")
    func naiveClientIsSignedOut() throws {
        let forecast = try forecast("melchat", days: 40)
        let naive = forecast.rows.filter { $0.client == .naive }
        #expect(naive.count == 3)
        for row in naive {
            #expect(row.endsAt == 30 * Self.day)
            #expect(row.renewals == 0)
        }
    }

    @Test("thirty days and thirty days: ours renews five minutes before both end, and continues")
    func oursRenewsInTime() throws {
        let row = try row(.ours, .renewsRefreshToken, of: try forecast("melchat", days: 88))
        let first = try #require(row.firstRenewalAt)
        #expect((30 * Self.day - 360...30 * Self.day - 240).contains(first))
        #expect(row.renewals == 2)
        #expect(row.endsAt == nil)
        #expect(row.refusedRequests == 0)
    }

    @Test(
        "without a new refresh token it ends with the last access token",
        // The refresh token that is kept is used once more right before its end.
        arguments: [
            (Forecast.BackendBehavior.keepsRefreshToken, 2), (.consumesRefreshToken, 1),
        ]
    )
    func endsWithoutNewRefreshToken(
        behavior: Forecast.BackendBehavior,
        renewals: Int
    ) throws {
        let row = try row(.ours, behavior, of: try forecast("melchat", days: 88))
        let end = try #require(row.endsAt)
        #expect((59.9 * Self.day...60 * Self.day).contains(end))
        #expect(row.renewals == renewals)
    }

    @Test("a sliding week never ends")
    func slidingLivesOn() throws {
        let row = try row(.ours, .renewsRefreshToken, of: try forecast("voltyks", days: 8))
        #expect(row.endsAt == nil)
        #expect(row.renewals > 8 * 48)
    }

    @Test("an absolute week ends on day 7")
    func absoluteEnds() throws {
        let row = try row(.ours, .keepsRefreshToken, of: try forecast("bitbasel", days: 14))
        let end = try #require(row.endsAt)
        #expect((7 * Self.day...7.1 * Self.day).contains(end))
    }

    @Test("equal questions get equal answers")
    func isDeterministic() throws {
        #expect(try forecast("creatist", days: 3) == forecast("creatist", days: 3))
    }

    @Test("over thirty days it looks on to the end of a session that nothing can save")
    func looksForTheEnd() throws {
        let row = try row(.ours, .keepsRefreshToken, of: try forecast("melchat", days: 30))
        let end = try #require(row.endsAt)
        let warning = try #require(row.drainsAt)
        #expect((59.9 * Self.day...60 * Self.day).contains(end))
        #expect(warning < end)
        #expect(row.renewals == 2)
        #expect(row.requests <= 180)
    }

    @Test("a fault of the backend shows in both clients")
    func faultsShow() throws {
        let dialect = try #require(Dialect.builtIn(named: "voltyks"))
        let forecast = Forecast.run(
            Forecast.Question(
                dialect: dialect,
                days: 3,
                faults: [.serverError],
                faultRate: 0.5,
                seed: 3
            ),
            causes: CauseText()
        )
        for row in forecast.rows { #expect(row.failedRenewals > 0, "\(row.client)") }
    }

    @Test("what takes too many steps is followed as far as they go, and says where that is")
    func shortened() throws {
        var question = Forecast.Question(
            dialect: try #require(Dialect.builtIn(named: "voltyks")),
            days: 30,
            accessLifetime: 20,
            requestEvery: 1
        )
        question.limits = Forecast.Limits(steps: 6_000, pairs: 300, requests: 600)
        let forecast = Forecast.run(question, causes: CauseText())
        for row in forecast.rows where row.endsAt == nil {
            let end = try #require(row.followedUntil, "\(row.client)")
            #expect(end > 60 && end < Self.day)
            #expect(row.renewals > 0 && row.renewals <= 300)
        }
        #expect(forecast.rows.contains { $0.followedUntil != nil })
        let text = forecast.lines(causes: CauseText()).joined(separator: "\n")
        #expect(text.contains("followed no further: too many steps"))
        question.limits = Forecast.Limits()
        question.accessLifetime = nil
        question.days = 1
        question.requestEvery = 14_400
        let whole = Forecast.run(question, causes: CauseText())
        #expect(whole.rows.allSatisfy { $0.followedUntil == nil })
    }

    @Test("a session that never began is not reported as continuing")
    func failedLogin() throws {
        let forecast = Forecast.run(
            Forecast.Question(
                dialect: try #require(Dialect.builtIn(named: "bitbasel")),
                days: 1,
                faults: [.serverError],
                faultRate: 1
            ),
            causes: CauseText()
        )
        #expect(try row(.ours, .keepsRefreshToken, of: forecast).hasBegun == false)
        let lines = forecast.lines(causes: CauseText())
        #expect(lines.contains("  renews ahead: no session: the login fails"))
    }

    @Test("the end is explained by what the backend knows, and what is assumed is marked")
    func namesTheCause() throws {
        let kept = try forecast("creatist", days: 9)
        let row = try row(.ours, .keepsRefreshToken, of: kept)
        #expect(row.refusal == .expired)
        #expect(row.reason == .revoked)
        let lines = kept.lines(causes: CauseText())
        #expect(
            lines.contains { $0.contains("renews ahead: signed out") && $0.contains("expired") }
        )
        #expect(lines[0] == "creatist: access token 15 m, refresh token 7 d (assumed)")
        let consumed = try self.row(.ours, .consumesRefreshToken, of: kept)
        #expect(consumed.refusal == .spent)
        // Twenty minutes are no base for a rate a day.
        #expect(consumed.renewals == 1)
        #expect(lines.contains { $0.contains("renews ahead") && $0.contains("1      –") })
    }

    @Test("a client that logs in again instead of renewing continues")
    func logsInAgain() throws {
        let source = ProfileSource(
            name: "mine",
            text: "extends = \"oauth2\"\ngrant = \"client_credentials\"",
            file: "mine.toml"
        )
        let profile = try Profile(source, known: []) { ProfileSource.builtIn($0) }
        let forecast = Forecast.run(
            Forecast.Question(
                dialect: profile.dialect,
                days: 1,
                accessLifetime: 3_600,
                requestEvery: 1_800
            ),
            causes: CauseText()
        )
        let row = try row(.ours, .hasNone, of: forecast)
        #expect(row.endsAt == nil)
        #expect((23...27).contains(row.renewals))
        #expect(row.refusedRequests == 0)
    }

    @Test("its text fits into a hundred columns", arguments: Dialect.builtIn().map(\.name))
    func textFits(name: String) throws {
        let forecast = try forecast(name, days: 3)
        let lines = forecast.lines(causes: CauseText())
        #expect(lines.allSatisfy { $0.count <= 100 })
        for row in forecast.rows {
            #expect(lines.contains("If \(row.backend.rawValue)"))
            #expect(lines.contains { $0.hasPrefix("  \(row.client.rawValue): ") })
        }
    }

    @Test("repeated entries are combined")
    func repetitionIsTold() throws {
        let row = try row(.ours, .renewsRefreshToken, of: try forecast("voltyks", days: 4))
        #expect(row.timeline.entries.count == 2)
        #expect(row.timeline.entries.last?.count == row.renewals)
    }

    @Test("as JSON it holds the same rows")
    func jsonHoldsRows() throws {
        let forecast = try forecast("melchat", days: 30)
        guard case .object(let members) = forecast.json, case .array(let rows)? = members["rows"]
        else { throw Missing.rows }
        #expect(rows.count == forecast.rows.count)
        #expect(rows.first?.value(at: "renewals") == 1)
        #expect(JSONValue(parsing: Array(forecast.json.serialized.utf8)) != nil)
    }

    private enum Missing: Error { case rows }
}
