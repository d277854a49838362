import Basics
import Testing

@testable import Model
@testable import UI

@Suite("Screens: faults of the sandbox")
struct FaultsScreenTests {
    private static let faults = [
        SandboxFault(setting: FaultSetting(.dropAfterCommit, .off), fired: 0),
        SandboxFault(setting: FaultSetting(.delay, .always), fired: 12),
        SandboxFault(setting: FaultSetting(.rateLimit, .next(3)), fired: 1),
        SandboxFault(setting: FaultSetting(.feedClose, .off), fired: 0),
    ]

    private static func state(
        _ script: EventScript,
        _ result: Result<[SandboxFault], FaultProblem>? = .success(faults)
    ) -> DashboardState {
        var state = DashboardState(script)
        _ = state.update(.clock(script.now))
        #expect(state.update(.key("X")) == [.faults(.read)])
        if let result { _ = state.update(.knownFaults(result, EventScript.session)) }
        return state
    }

    private static func script(claimsSandbox: Bool = true) -> EventScript {
        var script = EventScript.ordinary()
        script.answer(claimsSandbox: claimsSandbox)
        return script
    }

    @Test(
        "with what each does, its state and how often it fired",
        arguments: [(120, 40), (60, 16)]
    )
    func list(columns: Int, rows: Int) throws {
        let script = Self.script()
        var state = Self.state(script)
        state.press("j")
        try expectScreen(
            state.screen(columns, rows, script.now),
            named: "faults-\(columns)x\(rows)"
        )
    }

    @Test("a backend that has not said that it is the sandbox has none")
    func otherBackend() {
        var state = DashboardState(Self.script(claimsSandbox: false))
        #expect(state.update(.key("X")).isEmpty)
        #expect(state.notice?.message.contains("has not said that it is one") == true)
    }

    @Test("Enter is for one time, Space on or off, a all off")
    func keys() {
        var state = Self.state(Self.script())
        #expect(state.update(.key(.enter)) == [.faults(.once("drop-after-commit"))])
        #expect(state.update(.key(" ")) == [.faults(.on("drop-after-commit"))])
        state.press("j")
        #expect(state.update(.key(" ")) == [.faults(.off("delay"))])
        #expect(state.update(.key("o")) == [.faults(.once("delay"))])
        #expect(state.update(.key("a")) == [.faults(.allOff)])
        state.press("X")
        #expect(state.overlay == nil)
    }

    @Test("nothing is shown as on before the sandbox says so")
    func notAssumed() {
        let script = Self.script()
        var state = Self.state(script)
        _ = state.update(.key(" "))
        let before = state.screen(120, 40, script.now).text
        #expect(before.contains("2 faults on"))
        var faults = Self.faults
        faults[0].setting.state = .always
        _ = state.update(.knownFaults(.success(faults), EventScript.session))
        #expect(state.screen(120, 40, script.now).text.contains("3 faults on"))
    }

    @Test("a filter leaves those whose name or effect has the text, and keys act on them")
    func filter() {
        let script = Self.script()
        var state = Self.state(script)
        state.press("j", "/")
        #expect(state.mode == .prompt)
        state.type("feed")
        state.press(.enter)
        #expect(state.mode == .faults)
        let text = state.screen(120, 40, script.now).text
        #expect(text.contains("feed-close") && !text.contains("rate-limit"))
        #expect(state.update(.key(" ")) == [.faults(.on("feed-close"))])
        state.press("/", .escape)
        #expect(state.screen(120, 40, script.now).text.contains("rate-limit"))
    }

    @Test("what there is to say in place of a list")
    func nothing() {
        let script = Self.script()
        var state = Self.state(script, nil)
        #expect(state.screen(80, 24, script.now).text.contains("asking the sandbox …"))
        let problem = FaultProblem("the sandbox did not answer: timeout")
        _ = state.update(.knownFaults(.failure(problem), EventScript.session))
        #expect(state.screen(80, 24, script.now).text.contains("⚠ the sandbox did not answer"))
        #expect(state.update(.key(" ")).isEmpty)
        #expect(state.notice?.message == "no fault is selected")
    }

    @Test("X and E open one list, each at its section, and close it there")
    func sections() {
        let script = Self.script()
        var state = Self.state(script)
        #expect(state.mode == .faults)
        state.press("E")
        #expect(state.faultList?.selected == .fault(.expiredToken))
        #expect(state.mode == .experiments)
        state.press("k")
        #expect(state.faultList?.selected == .fault(.feedClose))
        #expect(state.mode == .faults)
        state.press("E", "E")
        #expect(state.overlay == nil)
    }

    @Test("what cannot act here has the reason in place of rows")
    func reasons() {
        var script = Self.script(claimsSandbox: false)
        var state = DashboardState(script)
        state.press("E")
        let other = state.screen(80, 24, script.now).text
        #expect(other.contains("this backend has not said that it is the sandbox"))
        #expect(other.contains("Experiments with the app: in authtop proxy"))
        #expect(!other.contains("short-life"))
        script = EventScript()
        script.capabilities()
        script.enter(.signedOut(.never))
        script.answer(claimsSandbox: true)
        state = Self.state(script)
        let signedOut = state.screen(80, 24, script.now).text
        #expect(signedOut.contains("no tokens to experiment with: not logged in"))
    }

    @Test("the selected row stays when the sandbox states its faults")
    func stable() {
        let script = Self.script()
        var state = DashboardState(script)
        _ = state.update(.resized(columns: 60, rows: 16))
        #expect(state.update(.key("E")) == [.faults(.read)])
        state.press("j")
        _ = state.update(.knownFaults(.success(Self.faults), EventScript.session))
        #expect(state.faultList?.selected == .fault(.corruptedToken))
        #expect(state.screen(60, 16, script.now).text.contains("▸ send a corrupted"))
    }

    @Test("the list is read again each second while it is shown, one request at a time")
    func again() {
        var script = Self.script()
        var state = Self.state(script, nil)
        let seconds = script.now.now.seconds(since: EventScript.start.now)
        script.wait(until: seconds + 5)
        #expect(state.update(.clock(script.now)).isEmpty)
        _ = state.update(.knownFaults(.success(Self.faults), EventScript.session))
        #expect(state.update(.clock(script.now)) == [.faults(.read)])
        _ = state.update(.knownFaults(.success(Self.faults), EventScript.session))
        #expect(state.update(.clock(script.now)).isEmpty)
        state.press(.escape)
        script.wait(until: seconds + 60)
        #expect(state.update(.clock(script.now)).isEmpty)
    }

    @Test("the cursor is never out of sight", arguments: [(80, 24), (60, 16)])
    func long(columns: Int, rows: Int) {
        let many = (1...60).map { number in
            let fault = Fault(
                .loseRequest,
                FaultRole(.backend, "fault-\(number)", in: []) { _ in "fails" }
            )
            return SandboxFault(setting: FaultSetting(fault, .off), fired: 0)
        }
        let script = Self.script()
        var state = Self.state(script, .success(many))
        _ = state.update(.resized(columns: columns, rows: rows))
        for move: Key in [.end, "k", .pageUp, "k", .home, .pageDown, "j", .control("d")] {
            state.press(move)
            let text = state.screen(columns, rows, script.now).text
            let selected =
                switch state.faultList?.selected {
                case .fault(let fault)?: fault.words
                case .clock?: ClockShiftText.name
                case nil: "?"
                }
            #expect(text.contains("▸ \(selected)"), "after \(move)")
        }
    }
}

extension EventScript {
    /// Adds a response that says whether the sandbox sent it.
    mutating func answer(claimsSandbox: Bool) {
        add(
            Exchange(
                id: 900,
                purpose: .protected,
                method: "GET",
                target: "/",
                result: .answered(status: 200),
                seconds: 0.01,
                generation: 1,
                why: .user,
                claimsSandbox: claimsSandbox
            )
        )
    }
}
