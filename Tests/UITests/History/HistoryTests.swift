import Basics
import Testing

@testable import Model
@testable import UI

@Suite("The history")
struct HistoryTests {
    /// A session that is renewed, paused, refused and ended, and another one.
    private static func story() -> EventScript {
        var script = EventScript.ordinary()
        script.wait(2)
        script.add(RenewalPaused(.timer, by: .user))
        script.wait(1)
        script.add(RenewalResumed(by: .user))
        script.add(Interruption(cause: .suspended, duration: .seconds(90)))
        script.wait(3)
        let message = "Refresh token reused or revoked"
        script.failRenewal(
            RefreshFailure(.refreshTokenRefused(status: 401, detail: message)),
            attempt: 1,
            nextIn: nil
        )
        script.add(
            RefreshTokenRefused(
                RefusalEvidence(
                    age: 94,
                    lifetime: 300,
                    sendsWithoutAnswer: 0,
                    possibleCauses: [.usedElsewhere, .revoked],
                    message: message
                )
            )
        )
        script.add(SessionDraining(endsAt: script.instant(5.4), reason: .revoked))
        script.enter(.draining(.revoked))
        script.wait(5.4)
        script.add(SignedOut(.revoked))
        script.generation = 0
        script.enter(.signedOut(.revoked))
        script.wait(4)
        script.logIn()
        script.request(status: 401)
        script.renew(cause: .unauthorized, rotated: true)
        return script
    }

    @Test("has the rows where it has the focus", arguments: [(120, 40), (80, 24), (60, 16)])
    func screen(columns: Int, rows: Int) throws {
        let script = Self.story()
        var state = DashboardState(script)
        state.press("6")
        try expectScreen(
            state.screen(columns, rows, script.now),
            named: "history-\(columns)x\(rows)"
        )
    }

    @Test("has one line for a renewal, and each of its events for a filter")
    func renewal() {
        var script = EventScript()
        script.capabilities()
        script.logIn()
        script.wait(12)
        script.renew(rotated: true)
        var state = DashboardState(script)
        state.press("6", "z")
        let text = state.screen(120, 40, script.now).text
        let lines = text.split(separator: "\n").filter { $0.contains("gen 2 ") }
        #expect(lines.count == 1, "\(text)")
        #expect(lines.first?.contains(" renewed (timer) 6 s before the end") == true, "\(text)")
        #expect(lines.first?.contains("refresh token rotated") == true, "\(text)")
        #expect(!text.contains("→ renewing"), "\(text)")
        state.press("/")
        state.type("renew")
        state.press(.enter)
        let found = state.screen(120, 40, script.now).text
        for part in ["→ renewing", "renewal 1 took"] {
            #expect(found.contains(part), "\(found)")
        }
    }

    @Test("has one line for a renewal that failed, with the next try before what the server said")
    func failedRenewal() {
        var script = EventScript.ordinary()
        let failure = RefreshFailure(.unavailable(status: 503, detail: "down for maintenance"))
        for attempt in 1...2 {
            script.wait(1)
            script.failRenewal(failure, attempt: attempt, nextIn: 2)
            let outlook = RetryOutlook(
                failures: attempt,
                failure: failure,
                nextAt: script.instant(2)
            )
            script.enter(.retrying(outlook), why: .failure(failure))
        }
        var state = DashboardState(script)
        state.press("6", "z")
        let lines = state.screen(120, 40, script.now).text.split(separator: "\n").dropFirst(4)
        let about = lines.filter { $0.contains("failed") || $0.contains("→ retrying") }
        #expect(about.count == 2, "\(about)")
        let said = /failed ×2, again at [0-9:]+: backend unavailable \(503\): down for maintenance/
        #expect(about.first?.contains(said) == true, "\(about)")
        #expect(!lines.contains { $0.contains("again after a failure") }, "\(lines)")
    }

    @Test("keeps what began, while the renewal has not succeeded")
    func unfinished() {
        for script in [EventScript.renewing(), .blocked()] {
            var state = DashboardState(script)
            state.press("6", "z")
            let text = state.screen(120, 40, script.now).text
            #expect(text.contains("fresh → renewing"), "\(text)")
        }
    }

    @Test("does not call an answer lost that came and cannot be used")
    func badReply() {
        var script = EventScript.ordinary()
        let failure = RefreshFailure(.unusableAnswer(status: 200, detail: "an HTML page"))
        script.enter(.unknown(RetryOutlook(failures: 1, failure: failure, nextAt: nil)))
        var state = DashboardState(script)
        state.press("5")
        let text = state.screen(120, 40, script.now).text
        #expect(text.contains("fresh → not usable ×1"))
        #expect(!text.contains("answer lost"))
    }

    @Test("gives way to the other lists where there is little room, until it has the focus")
    func givesWay() {
        let script = Self.story()
        var state = DashboardState(script)
        #expect(state.screen(120, 40, script.now).text.contains("6 History"))
        #expect(!state.screen(80, 24, script.now).text.contains("6 History"))
        state.press("6")
        let text = state.screen(80, 24, script.now).text
        #expect(["▸6 History", "3 Requests", "4 Feed"].allSatisfy(text.contains))
    }

    @Test("the list that has the focus takes the rows where they are few")
    func rowsOfFocus() {
        func rows(_ focus: PaneID) -> [PaneID: Int] {
            let layout = ScreenLayout(
                columns: 80,
                rows: 24,
                focus: focus,
                panes: PaneCatalogue.panes(isObserved: false, hasSeveralSessions: false),
                extent: { $0.extent }
            )
            let places = layout?.panes.map { ($0.pane.id, $0.rows) } ?? []
            return Dictionary(places) { first, _ in first }
        }
        #expect(rows(RequestsPane.id)[RequestsPane.id] == 8)
        #expect(rows(RequestsPane.id)[FeedPane.id] == 2)
        #expect(rows(FeedPane.id)[FeedPane.id] == 8)
        #expect(rows(HistoryPane.id)[HistoryPane.id] == 4)
        #expect(rows(TokensPane.id)[RequestsPane.id] == 5)
    }

    @Test("keeps what ends sessions, and neither polls that succeed nor messages of the feed")
    func kept() {
        let session = SessionSnapshot(folding: Self.story().events)
        let names = session.history.entries.map(\.kind.name)
        for name in ["paused", "resumed", "wake", "refreshFailed", "refreshTokenRefused"] {
            #expect(names.count { $0 == name } == 1, "\(name)")
        }
        #expect(names.count { $0 == "signedOut" } == 2)
        #expect(names.count { $0 == "tokensIssued" } == 9)
        #expect(names.count { $0 == "request" } == 2)
        #expect(!names.contains { $0.hasPrefix("feed") })
    }

    @Test("is bounded")
    func bounded() {
        var script = EventScript()
        for _ in 0...History.limit { script.add(PairSaved()) }
        let history = SessionSnapshot(folding: script.events).history
        #expect(history.count == History.limit + 1)
        #expect(history.entries.count == History.limit)
    }

    @Test("opens the tokens of a pair that has ended, of an earlier session too")
    func endedTokens() {
        let script = Self.story()
        var state = DashboardState(script)
        state.press("6", "/")
        state.type("kind:tokensIssued login:2 gen:7")
        state.press(.enter, .enter)
        let text = state.screen(120, 40, script.now).text
        #expect(text.contains("Tokens of gen 2.7") && text.contains("in use until"))
        #expect(text.contains("‹3f9c21ab›"))
    }

    @Test("opens everything else with the fields of its line")
    func fields() {
        let script = Self.story()
        var state = DashboardState(script)
        state.press("6", "/")
        state.type("reused")
        state.press(.enter, .enter)
        let text = state.screen(120, 40, script.now).text
        #expect(text.contains("As --json has it: refreshTokenRefused"))
        #expect(text.contains("it said      \"Refresh token reused or revoked\""))
    }

    @Test("no two pairs of a run have the same name anywhere on the screen")
    func names() {
        var script = EventScript.ordinary()
        var first = DashboardState(script)
        #expect(first.screen(120, 40, script.now).text.contains("generation 2.7"))
        script.add(SignedOut(.user))
        script.enter(.signedOut(.user))
        script.logIn()
        script.open()
        script.request()
        script.renew()
        var state = DashboardState(script)
        let text = state.screen(120, 60, script.now).text
        #expect(text.contains("generation 3.2") && text.contains("gen 3.2 issued"))
        #expect(text.contains("gen 2.7") && text.contains("gen 3.1"))
        #expect(text.firstMatch(of: #/gen(eration)? \d+ /#) == nil)
    }

    @Test("what a login brought is named by the login that it was, which is counted afterwards")
    func secondLogin() {
        var script = EventScript()
        script.capabilities()
        for _ in 0..<2 {
            script.generation = 0
            script.request(.login, "POST", "/auth/login", why: .login)
            script.login += 1
            script.generation = 1
            script.issue(.login)
            script.enter(.fresh)
            script.wait(3)
            script.add(SignedOut(.user))
            script.enter(.signedOut(.user))
        }
        var state = DashboardState(script)
        let text = state.screen(120, 40, script.now).text
        #expect(text.contains("gen 1.1 issued: logged in"))
        #expect(text.contains("gen 2.1 issued: logged in"))
    }
}
