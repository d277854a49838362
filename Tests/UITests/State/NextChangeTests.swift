import Basics
import FoundationEssentials
import Model
import Testing
import UI

@Suite("Update: when the screen changes without input")
struct NextChangeTests {
    @Test("an idle screen does not change until the next second")
    func second() throws {
        let script = EventScript.ordinary()
        let state = DashboardState(script)
        let next = try #require(state.nextChange(after: script.now))
        #expect(abs(next.seconds(since: script.now.now) - 0.7) < 0.01)
        let before = moment(script, 0.69)
        #expect(screen(state, script.now) == screen(state, before))
        #expect(screen(state, script.now) != screen(state, moment(script, 0.71)))
    }

    @Test("nothing changes between two wake-ups, in any state")
    func honest() throws {
        for (name, script) in EventScript.allStates {
            let state = DashboardState(script)
            var now = script.now
            for _ in 0..<12 {
                let next = try #require(state.nextChange(after: now))
                let gap = next.seconds(since: now.now)
                #expect(gap > 0 && gap < 1.01)
                let shown = screen(state, now)
                let later = Moment(
                    now: now.now.advanced(bySeconds: gap - 0.002),
                    wall: now.wall.addingTimeInterval(gap - 0.002)
                )
                if gap > 0.003 { #expect(shown == screen(state, later), "\(name)") }
                now = Moment(now: next, wall: now.wall.addingTimeInterval(gap))
            }
        }
    }

    @Test("a number that counts is written as a clock writes it, wherever it stands")
    func countingStyle() throws {
        let scripts = EventScript.allStates.map(\.script)
        let words = /\d+ (min|h) \d+ (s|min)/
        for script in scripts {
            for opener in [nil, "i", "\r"] as [Character?] {
                for pane in ["1", "2"] as [Character] {
                    var state = DashboardState(script)
                    _ = state.update(.key(.character(pane)))
                    if let opener {
                        _ = state.update(.key(opener == "\r" ? .enter : .character(opener)))
                    }
                    for wait in [0.0, 3_600] {
                        let before = lines(state, moment(script, wait))
                        let after = lines(state, moment(script, wait + 1))
                        for (old, new) in zip(before, after) where old != new {
                            #expect(
                                old.matches(of: words).map { String($0.output.0) }
                                    == new.matches(of: words).map { String($0.output.0) }
                            )
                        }
                    }
                }
            }
        }
    }

    @Test("a screen that is too small never changes")
    func small() {
        var state = DashboardState(.ordinary())
        _ = state.update(.resized(columns: 40, rows: 10))
        #expect(state.nextChange(after: EventScript.start) == nil)
    }

    @Test("clock and time left add up to the time of expiry")
    func arithmetic() throws {
        let script = EventScript.ordinary()
        let state = DashboardState(script)
        for tenth in 0..<90 {
            let text = screen(state, moment(script, Double(tenth) / 10)).text
            let header = try #require(text.split(separator: "\n").first)
            let clock = try #require(Int(header.suffix(2)))
            #expect(text.contains("expires 14:02:23"))
            #expect(text.contains(" \(23 - clock) s of 20 s left"))
        }
    }

    private func moment(_ script: EventScript, _ seconds: Double) -> Moment {
        Moment(
            now: script.now.now.advanced(bySeconds: seconds),
            wall: script.now.wall.addingTimeInterval(seconds)
        )
    }

    private func lines(_ state: DashboardState, _ now: Moment) -> [Substring] {
        screen(state, now).text.split(separator: "\n", omittingEmptySubsequences: false)
    }

    private func screen(_ state: DashboardState, _ now: Moment) -> Grid {
        state.render(size: (120, 40), now: now)
    }
}
