import Basics
import Model
import Testing
import UI

@Suite("The header and the renewal plan")
struct RenewalAnnouncementTests {
    static let waits: [Double] = [1, 2, 9, 10, 59, 60, 61, 270, 3_599, 3_600, 3_661, 86_399]

    @Test("say the same to the last unit, until the renewal is due", arguments: waits)
    func scheduled(wait: Double) throws {
        var script = EventScript.ordinary()
        script.add(RenewalPlanned(.scheduled(at: script.instant(wait), .accessTokenEnds)))
        for elapsed in [0, 0.3, 0.9, wait / 2, wait] where elapsed <= wait {
            var later = script
            later.wait(elapsed)
            var state = DashboardState(later)
            let text = state.screen(120, 40, later.now).text
            if text.contains("renews now") {
                #expect(wait - elapsed < 1)
                continue
            }
            let shown = try #require(Self.seconds(after: "renews in ", in: text), "\(text)")
            // Both ends of a whole second, or from an hour on of a whole minute.
            let unit: Double = wait - elapsed < 3_600 ? 1 : 60
            #expect(abs(shown - (wait - elapsed)) <= unit, "\(shown) for \(wait - elapsed)")
        }
    }

    @Test(
        "name no instant where no timer is set",
        arguments: [
            RenewalPlan.held(.rejection), .held(.use), .held(.expiry), .held(.unsaved),
            .impossible(.accessExpired), .impossible(.refreshExpired), .underWay,
            .awaitsLock(since: .origin),
        ]
    )
    func unscheduled(plan: RenewalPlan) {
        var script = EventScript.ordinary()
        script.add(RenewalPlanned(plan))
        var state = DashboardState(script)
        let lines = state.screen(120, 40, script.now).text.split(separator: "\n")
        #expect(!lines.contains { $0.contains("renews in") || $0.contains("renews at") })
    }

    @Test(
        "say that another process holds the lock, and since when, where they have room for it",
        arguments: [(120, 40), (80, 24), (60, 16)]
    )
    func lock(columns: Int, rows: Int) {
        var script = EventScript.ordinary()
        let since = script.now.now
        let failure = RefreshFailure(.unavailable(status: 503, detail: nil))
        let outlook = RetryOutlook(failures: 2, failure: failure, nextAt: nil)
        let states = [
            SessionState.renewing, .blocked, .retrying(outlook), .expired(outlook),
            .unknown(outlook), .signingIn,
        ]
        for state in states {
            script.enter(state)
            script.add(RenewalPlanned(.awaitsLock(since: since)))
            script.wait(7)
            var dashboard = DashboardState(script)
            let text = dashboard.screen(columns, rows, script.now).text
            let isWide = columns >= 80
            let lock = "another process holds the lock"
            if isWide { #expect(text.contains(lock), "\(state.name): \(text)") }
            if state == .renewing {
                #expect(text.contains("\(lock) since"), "\(text)")
                #expect(!text.contains("◐ renewing"))
            }
            script.wait(1)
        }
    }

    @Test("say from when on a request renews, until the next one does")
    func laterRequest() {
        var script = EventScript.ordinary()
        let outlook = RetryOutlook(
            failures: 2,
            failure: RefreshFailure(.unavailable(status: 503, detail: nil)),
            nextAt: nil,
            hold: .use,
            notBefore: script.now.now.advanced(bySeconds: 30)
        )
        script.add(SessionStateChanged(from: .fresh, to: .retrying(outlook), why: .login))
        script.add(RenewalPlanned(.held(.use)))
        var state = DashboardState(script)
        let text = state.screen(120, 40, script.now).text
        #expect(text.contains("waits for a request from 14:0"), "\(text)")
        #expect(text.contains("renewed with a request from 14:0"), "\(text)")
        script.wait(31)
        let later = state.screen(120, 40, script.now).text
        #expect(later.contains("waits for a later request"), "\(later)")
        #expect(later.contains("renewed with a later request"), "\(later)")
    }

    /// Reads a countdown back: `9 s`, `1 m 05 s`, `1 h 02 m`.
    private static func seconds(after label: String, in text: String) -> Double? {
        guard let found = text.firstRange(of: label) else { return nil }
        let words = text[found.upperBound...].split(separator: " ").prefix(4)
        let units: [Substring: Double] = ["s": 1, "m": 60, "h": 3_600, "d": 86_400]
        var seconds: Double?
        for (number, unit) in zip(words, words.dropFirst()) {
            guard let number = Double(number), let unit = units[unit] else { continue }
            seconds = (seconds ?? 0) + number * unit
        }
        return seconds
    }
}
