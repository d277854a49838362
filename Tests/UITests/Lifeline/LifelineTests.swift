import Basics
import FoundationEssentials
import Profiles
import Testing

@testable import Model
@testable import UI

@Suite("Lifeline: what each column shows")
struct LifelineTests {
    /// The lifeline of a story as it looks some seconds after its beginning.
    private static func lifeline(
        _ script: EventScript,
        column: Double = 1,
        columns: Int = 50
    ) -> Lifeline {
        let clock = ViewClock(now: script.now, utcOffsetSeconds: 0)
        let window = LifelineWindow(
            column: Int64(column * 1e9),
            columns: columns,
            clock: clock
        )
        return Lifeline(SessionSnapshot(folding: script.events), window: window, clock: clock)
    }

    private static func row(_ symbol: String, _ count: Int) -> String {
        String(repeating: symbol, count: count)
    }

    private static func loggedIn(accessLife: Double = 20) -> EventScript {
        var script = EventScript()
        script.capabilities()
        script.wait(until: 10)
        script.logIn(accessLife: accessLife)
        return script
    }

    @Test("a generation is in use until the next one, and its token lives until its expiry")
    func lanes() {
        var script = Self.loggedIn()
        script.wait(until: 23)
        script.renew()
        script.wait(until: 30)
        let lifeline = Self.lifeline(script)
        // The present, second 30, is column 40 of 50.
        #expect(lifeline.lanes[0].text.trimmed == "├1" + Self.row("━", 11) + "┄┄┄┄┄┄┄┤")
        #expect(lifeline.lanes[0].map(\.symbol).firstIndex(of: "├") == 20)
        #expect(lifeline.lanes[1].text.trimmed == "├2" + Self.row("━", 11) + "┄┄┄┄")
        #expect(lifeline.lanes[1].map(\.symbol).firstIndex(of: "├") == 33)
        #expect(lifeline.axis.map(\.symbol).firstIndex(of: "▲") == 40)
    }

    @Test("a refresh in flight has its mark where it was sent")
    func refreshInFlight() {
        var script = Self.loggedIn()
        script.wait(until: 23)
        script.flights += 1
        script.sendRenewal()
        script.wait(until: 30)
        let requests = Self.lifeline(script)[.requests]
        // The present, second 30, is column 40 of 50.
        #expect(requests[33].symbol == "◐")
        #expect(requests[34...].allSatisfy { $0.symbol == " " })
    }

    @Test("the token in use is planned to be replaced where the timer is set")
    func plan() {
        var script = Self.loggedIn()
        script.wait(until: 13)
        let lifeline = Self.lifeline(script)
        // 20 s of life from second 10 on, of which two thirds are in use; the present is 13.
        #expect(lifeline.lanes[0].text == Self.row(" ", 37) + "├1" + Self.row("━", 11))
        #expect(lifeline.lanes[0][40].style == .good)
        #expect(lifeline.lanes[0][41].style == .plain)
        let narrow = Self.lifeline(script, column: 2)
        #expect(narrow.axis.text.contains("▼ renews") == false)
        #expect(narrow.axis.map(\.symbol).firstIndex(of: "▼") == 45)
        #expect(narrow.lanes[0].text.hasSuffix("├1━━━━┄┄┄┄┤"))
    }

    @Test("an assumed expiry is marked, and an unknown one ends the line at the present")
    func uncertain() {
        var script = EventScript()
        script.capabilities()
        script.login = 1
        script.generation = 1
        script.issue(.login, access: Expiry(seconds: 20, source: .assumed))
        script.enter(.fresh)
        script.wait(12)
        #expect(
            Self.lifeline(script).lanes[0].text.hasSuffix(
                "├1" + Self.row("━", 11) + "┄┄┄┄┄┄┄? "
            )
        )
        var unknown = EventScript()
        unknown.capabilities()
        unknown.login = 1
        unknown.generation = 1
        let statement = UnusableExpiry(place: "expires_in", problem: .unreadable)
        unknown.issue(.login, unusable: UnusableExpiries(access: [statement]))
        unknown.enter(.fresh)
        unknown.wait(18)
        #expect(Self.lifeline(unknown).lanes[0].map(\.symbol).firstIndex(of: "?") == 41)
    }

    @Test("a refused token ends where it was refused, unless it was accepted again")
    func refused() {
        var script = Self.loggedIn()
        script.wait(until: 15.5)
        script.request(status: 401)
        script.wait(until: 17)
        #expect(Self.lifeline(script).lanes[0].text.contains("├1━━━✗ "))
        script.wait(until: 19)
        script.request()
        #expect(!Self.lifeline(script).lanes[0].text.contains("✗"))
    }

    @Test("of several requests in a column the worst is shown")
    func worst() {
        var script = Self.loggedIn()
        let records: [(Double, Int?)] = [
            (12.1, 200), (14.1, 200), (14.2, 503), (14.3, 200), (16.1, 503), (16.2, 404),
            (18.1, nil),
        ]
        for (at, status) in records {
            script.wait(until: at)
            if let status {
                script.request(status: status)
            } else {
                let unsent = Exchange.Result.notSent(.unreachable(detail: "refused"))
                script.request(.protected, "GET", "/", unsent, seconds: 0.01, why: .user)
            }
        }
        script.wait(until: 20)
        let row = Self.lifeline(script)[.requests].text
        // From second 9 on, before which the login was sent.
        #expect(row.dropFirst(29) == "·  · ! ✗ !           ")
    }

    @Test("a refusal is one with any status, in the lifeline and in the count of the requests")
    func refusals() {
        var script = Self.loggedIn()
        for (at, status) in [(12.1, 200), (14.1, 403), (16.1, 302)] {
            script.wait(until: at)
            script.request(status: status, acceptance: .refused)
        }
        script.wait(until: 18.1)
        script.request(.refresh, "POST", "/token", status: 400, why: .user)
        script.wait(until: 20)
        #expect(Self.lifeline(script)[.requests].text.dropFirst(29) == "·  ✗ ✗ ✗ ✗           ")
        var state = DashboardState(script)
        #expect(state.screen(120, 40, script.now).text.contains(" 4 refused "))
    }

    @Test("a sign-in on another device that is still waited for is no refusal")
    func pending() throws {
        var script = Self.loggedIn()
        script.wait(until: 14.1)
        script.request(.login, "POST", "/token", status: 400, isPending: true, why: .login)
        script.wait(until: 16.1)
        script.request(.login, "POST", "/token", status: 400, why: .login)
        script.wait(until: 20)
        #expect(Self.lifeline(script)[.requests].text.dropFirst(29) == "·    · ✗             ")
    }

    @Test("a switch of sockets leaves no gap, and a broken one does")
    func sockets() {
        var script = Self.loggedIn()
        script.open()
        script.wait(until: 20)
        script.switchSocket()
        script.wait(until: 25)
        script.add(FeedClosed(socket: 2, code: 1006, by: .transport, reason: ""))
        script.wait(until: 30)
        script.open()
        script.wait(until: 40)
        #expect(
            Self.lifeline(script)[.feed].text
                == "          ━━━━━━━━━━╋━━━━✗    ━━━━━━━━━━━         "
        )
    }

    @Test("messages that were lost in a switch are a warning")
    func lostMessages() {
        var script = Self.loggedIn()
        script.open()
        script.wait(until: 20)
        script.switchSocket(gap: 3)
        script.wait(until: 40)
        #expect(Self.lifeline(script)[.feed][20] == Lifeline.Cell("⚠", .warning))
    }

    @Test("logins, renewals, pauses, sleep and the end of a session are events")
    func events() {
        var script = Self.loggedIn()
        script.wait(until: 14)
        script.add(RenewalPaused(.timer, by: .user))
        script.wait(until: 18)
        script.add(RenewalResumed(by: .user))
        script.wait(until: 20)
        script.renew()
        script.wait(until: 29)
        script.add(Interruption(cause: .suspended, duration: .seconds(5)))
        script.wait(until: 33)
        script.add(SignedOut(.revoked))
        script.enter(.signedOut(.revoked))
        script.wait(until: 40)
        #expect(
            Self.lifeline(script)[.events].text
                == "          ●   ‖╌╌╌▸ +   zzzzzz   ✗                "
        )
        // A client that has the token can still use it.
        let lane = Self.lifeline(script).lanes[1].text
        #expect(lane.trimmed == "├2" + Self.row("━", 11) + "┄┄┄┄┄┄┄┤")
    }

    @Test("a pause that goes on reaches the present")
    func paused() {
        var script = Self.loggedIn()
        script.wait(until: 14)
        script.add(RenewalPaused(.timer, by: .user))
        script.add(RenewalPlanned(.held(.paused)))
        script.wait(until: 18)
        let lifeline = Self.lifeline(script)
        #expect(lifeline[.events].text.hasSuffix("●   ‖╌╌╌╌         "))
        #expect(!lifeline.axis.text.contains("▼"))
        #expect(lifeline.lanes[0].text.contains("├1━━━━━━━━━━━━━━━━"))
    }

    @Test("a session that drains ends on the axis, and nothing renews it")
    func draining() {
        let lifeline = Self.lifeline(.draining())
        #expect(lifeline.axis.text.contains("✗"))
        #expect(!lifeline.axis.text.contains("▼"))
        #expect(lifeline.lanes[0].contains(Lifeline.Cell("━", .warning)))
    }

    @Test("two logins of a run have generations of different names")
    func logins() {
        var script = Self.loggedIn()
        script.wait(until: 18)
        script.add(SignedOut(.user))
        script.enter(.signedOut(.user))
        script.wait(until: 24)
        script.logIn()
        script.wait(until: 40)
        let lifeline = Self.lifeline(script)
        #expect(lifeline.lanes[0].text.contains("├1.1━━━"))
        #expect(lifeline.lanes[1].text.contains("├2.1━━━"))
        #expect(lifeline[.events].text.contains("●       ○     ●"))
    }

    @Test("tokens of thirty days fill the lane, with their number at the left")
    func thirtyDays() {
        let lifeline = Self.lifeline(.thirtyDays(), column: 43_200, columns: 80)
        #expect(lifeline.lanes[0].text.contains("├1━"))
        #expect(lifeline.lanes[0].text.hasSuffix("━"))
        let zoomed = Self.lifeline(.thirtyDays(), column: 1, columns: 80)
        #expect(zoomed.lanes[0].text.hasPrefix("1━━━"))
    }

    @Test("generations that are shorter than a column leave a mark in each")
    func dense() {
        var script = Self.loggedIn()
        for second in stride(from: 23.0, through: 600, by: 13) {
            script.wait(until: second)
            script.renew()
        }
        let lifeline = Self.lifeline(script, column: 60)
        #expect(lifeline.lanes[0].text.contains("┼┼┼┼┼"))
        #expect(lifeline[.events].text.contains("++++"))
    }

    @Test("what is no longer kept is said, rather than shown as silence")
    func forgotten() {
        var script = Self.loggedIn(accessLife: 100_000)
        for second in 0..<(SessionSnapshot.requestLimit + 100) {
            script.wait(until: 20 + Double(second))
            script.request()
        }
        let lifeline = Self.lifeline(script, column: 60, columns: 80)
        let text = lifeline[.requests].text
        #expect(text.contains("░"))
        #expect(!lifeline.lanes[0].text.contains("░"))
        let fine = Self.lifeline(script, column: 2, columns: 1_400)
        #expect(fine[.requests].text.contains("░ nothing kept before 14:02:00 ·"))
    }

    @Test("times before the clock was set are those that it showed")
    func clockStep() {
        var script = Self.loggedIn()
        script.wait(until: 30)
        script.now.wall.addTimeInterval(3_600)
        script.add(WallClockStepped(seconds: 3_600))
        script.wait(10)
        let lifeline = Self.lifeline(script, columns: 100)
        #expect(lifeline.axis.text.contains("14:00:00"))
        #expect(lifeline.axis.text.contains("15:00:30"))
        #expect(lifeline[.events].text.contains("⚠"))
    }

    @Test("nothing is after the present, whatever the fraction of the second")
    func fractions() {
        for tenth in 0..<20 {
            var script = Self.loggedIn()
            script.wait(until: 30 + Double(tenth) / 10)
            script.request(status: 404, seconds: 0)
            let lifeline = Self.lifeline(script)
            #expect(lifeline[.requests].lastIndex { $0.symbol == "✗" } == 40)
        }
    }
}

@Suite("Lifeline: zoom")
struct LifelineSpanTests {
    @Test("a column lasts as long as a clock counts", arguments: [46, 66, 107, 187])
    func columns(columns: Int) {
        for span in LifelineSpan.allCases {
            let column = span.column(over: columns)
            #expect(column * Int64(columns) >= Int64(span.seconds) * 1_000_000_000)
            #expect(column < 1_000_000_000 || column % 1_000_000_000 == 0)
        }
        #expect(LifelineSpan.minute.column(over: 107) == 1_000_000_000)
    }

    @Test("goes from ten seconds to thirty days, and no further")
    func ends() {
        #expect(LifelineSpan.tenSeconds.shorter == .tenSeconds)
        #expect(LifelineSpan.month.longer == .month)
        #expect(LifelineSpan.hour.longer == .sixHours)
        #expect(LifelineSpan.shortest(for: 61) == .fiveMinutes)
        #expect(LifelineSpan.shortest(for: 1e9) == .month)
    }
}

extension String {
    /// Without blanks at the ends.
    fileprivate var trimmed: String { split(separator: " ").joined(separator: " ") }
}
