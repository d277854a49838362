import Basics
import FoundationEssentials
import Model
import Testing

@testable import UI

@Suite("The locked screen")
struct ScreenLockTests {
    private static let passphrase = "correct-horse"

    private static func locked(
        _ opener: ScreenLock.Opener = .passphrase,
        _ script: EventScript = .ordinary()
    ) -> DashboardState {
        var state = DashboardState(script)
        _ = state.update(.clock(script.now))
        _ = state.update(.locked(opener))
        return state
    }

    private static func later(_ seconds: Double) -> Moment {
        let now = EventScript.ordinary().now
        return Moment(
            now: now.now.advanced(bySeconds: seconds),
            wall: now.wall.addingTimeInterval(seconds)
        )
    }

    @Test(
        "shows the program's name, that it is locked, and the prompt",
        arguments: [(120, 40), (80, 24), (60, 16), (12, 3)]
    )
    func screen(columns: Int, rows: Int) throws {
        var state = Self.locked()
        state.type("abc")
        let grid = state.screen(columns, rows, EventScript.ordinary().now)
        try expectScreen(grid, named: "locked-\(columns)x\(rows)")
    }

    @Test(
        "nothing of the session is on it, regardless of what was open",
        arguments: [["?"], ["i"], ["1", .enter], ["/", "x"], ["P"], []] as [[Key]]
    )
    func nothing(keys: [Key]) {
        let script = EventScript.ordinary()
        var state = DashboardState(script)
        for key in keys { state.press(key) }
        _ = state.update(.clock(script.now))
        _ = state.update(.locked(.passphrase))
        var more = script
        more.add(ActionRejected(.renewalUnderWay))
        _ = state.update(.events(more.events))
        for (columns, rows) in [(120, 40), (80, 24), (60, 16), (30, 5), (1, 1)] {
            let text = state.screen(columns, rows, script.now).text
            for leak in ["user@", "127.0.0.1", "bitbasel", "‹", "generation", "renewal is", "GET"] {
                #expect(!text.contains(leak), "\(leak) at \(columns) × \(rows)")
            }
        }
    }

    @Test(
        "keys write the passphrase and do nothing else",
        arguments: ["q", "l", "L", "r", "p", "P", "?", " ", "K", "1", "y"] as [Key]
    )
    func keys(key: Key) {
        var state = Self.locked()
        #expect(state.update(.key(key)).isEmpty)
        #expect(state.lock != nil)
        #expect(state.screen(80, 24, EventScript.ordinary().now).text.contains("passphrase •"))
    }

    @Test(
        "what moves or opens does nothing",
        arguments: [.tab, .shiftTab, .up, .down, .pageDown, .home, .control("d"), .function(1)]
            as [Key]
    )
    func otherKeys(key: Key) {
        var state = Self.locked()
        let before = state.lock
        #expect(state.update(.key(key)).isEmpty)
        #expect(state.lock == before)
    }

    @Test("Ctrl-C quits, Ctrl-Z suspends, and it stays locked")
    func waysOut() {
        var state = Self.locked()
        #expect(state.update(.key(.control("c"))) == [.quitAtOnce])
        #expect(state.update(.key(.control("z"))) == [.suspend])
        #expect(state.lock != nil)
    }

    @Test("Enter checks the passphrase, Esc clears it, and each character is shown as a bullet")
    func check() {
        var state = Self.locked()
        #expect(state.update(.key(.enter)).isEmpty)
        state.type("wrong")
        state.press(.escape)
        state.type(Self.passphrase)
        let text = state.screen(80, 24, EventScript.ordinary().now).text
        #expect(text.contains(String(repeating: "•", count: Self.passphrase.count)))
        #expect(!text.contains("horse") && !"\(state)".contains("horse"))
        #expect(state.update(.key(.enter)) == [.unlock(Secret(Self.passphrase))])
        #expect(state.screen(80, 24, EventScript.ordinary().now).text.contains("checking"))
        state.type("x")
        #expect(state.update(.key(.enter)).isEmpty)
        #expect(state.update(.unlocked).isEmpty)
        #expect(state.lock == nil)
        #expect(state.screen(80, 24, EventScript.ordinary().now).text.contains("● fresh"))
    }

    @Test("after each wrong passphrase the wait is longer, up to a minute")
    func waits() {
        var state = Self.locked()
        var seconds = 0.0
        for wait in [1.0, 2, 4, 8, 16, 32, 60, 60] {
            _ = state.update(.clock(Self.later(seconds)))
            state.type("wrong")
            #expect(state.update(.key(.enter)).count == 1)
            _ = state.update(.unlockRefused(nil))
            state.type("wrong")
            _ = state.update(.clock(Self.later(seconds + wait - 0.1)))
            #expect(state.update(.key(.enter)).isEmpty, "before \(wait) s are over")
            let text = state.screen(80, 24, Self.later(seconds)).text
            #expect(text.contains("wrong passphrase: next try in"))
            state.press(.escape)
            seconds += wait
        }
    }

    @Test("a check that failed says why, and costs no wait")
    func problem() {
        var state = Self.locked()
        state.type("abc")
        state.press(.enter)
        _ = state.update(.unlockRefused("no memory for it"))
        #expect(state.screen(80, 24, EventScript.ordinary().now).text.contains("no memory for it"))
        state.type("abc")
        #expect(state.update(.key(.enter)).count == 1)
    }

    @Test("a keyring is asked by Enter, and nothing is typed")
    func keyring() {
        var state = Self.locked(.keyring)
        state.type("abc")
        let text = state.screen(80, 24, EventScript.ordinary().now).text
        #expect(text.contains("Enter asks the keyring") && !text.contains("•"))
        #expect(state.update(.key(.enter)) == [.unlock(Secret(""))])
    }

    @Test(
        "K locks wherever no text is being edited",
        arguments: [[], ["?"], ["L"]] as [[Key]]
    )
    func key(before: [Key]) {
        var state = DashboardState(.thirtyDays())
        for key in before { state.press(key) }
        #expect(state.update(.key("K")) == [.lock])
        #expect(state.lock == nil)
    }

    @Test("a lock that was requested elsewhere applies once")
    func requested() {
        var state = DashboardState(.ordinary())
        #expect(state.update(.lockRequested) == [.lock])
        _ = state.update(.locked(.passphrase))
        #expect(state.update(.lockRequested).isEmpty)
    }

    @Test("without a key for as long as the profile says it locks, and each key puts that off")
    func idle() {
        var state = DashboardState(
            .ordinary(),
            configuration: DashboardConfiguration(lockAfter: 600)
        )
        #expect(state.update(.clock(Self.later(0))).isEmpty)
        #expect(state.update(.clock(Self.later(599))).isEmpty)
        state.press("j")
        #expect(state.update(.clock(Self.later(1_198))).isEmpty)
        #expect(state.update(.clock(Self.later(1_199))) == [.lock])
        // Where it could not be locked it is tried again as long after.
        #expect(state.update(.clock(Self.later(1_200))).isEmpty)
        #expect(state.update(.clock(Self.later(1_799))) == [.lock])
        _ = state.update(.locked(.passphrase))
        #expect(state.update(.clock(Self.later(9_999))).isEmpty)
        _ = state.update(.unlocked)
        #expect(state.update(.clock(Self.later(10_500))).isEmpty)
    }

    @Test("the loop wakes for it, on a screen that is too small as well")
    func nextChange() {
        var state = DashboardState(
            .ordinary(),
            configuration: DashboardConfiguration(lockAfter: 0.2)
        )
        let now = Self.later(0)
        _ = state.update(.clock(now))
        _ = state.update(.resized(columns: 20, rows: 5))
        #expect(state.nextChange(after: now) == now.now.advanced(bySeconds: 0.2))
        _ = state.update(.locked(.passphrase))
        #expect(state.nextChange(after: now) == nil)
    }
}
