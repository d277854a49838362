import Model
import Testing

@testable import UI

@Suite("Screens: experiments with an app")
struct AppExperimentsScreenTests {
    private static func state(
        backend: String = "https://api.example.com",
        isReadOnly: Bool = false
    ) -> DashboardState {
        let route = ProxyRoutes.Route(
            address: "http://127.0.0.1:9000",
            port: 9000,
            backend: backend
        )
        var state = DashboardState(
            configuration: DashboardConfiguration(
                isReadOnly: isReadOnly,
                proxy: ProxyRoutes([route])
            ),
            sessions: [DashboardSession(id: SessionID("0"))]
        )
        _ = state.update(.resized(columns: 120, rows: 40))
        return state
    }

    /// A session with an experiment that failed, and one that waits for the app.
    private static func script() -> EventScript {
        var script = EventScript()
        script.id = SessionID("1")
        script.logIn()
        script.add(ObservedStatus.live(until: script.instant(60)))
        script.wait(until: 12)
        script.add(
            Scorecard(
                number: 1,
                experiment: .expireBurst,
                lines: [
                    Scorecard.Line(.renewsOnce, .failed, exchanges: [31, 32]),
                    Scorecard.Line(.repeats, .passed, exchanges: [33, 34]),
                    Scorecard.Line(.keepsSession, .passed),
                    Scorecard.Line(.showsNoBug, .notReached),
                ],
                startedAt: script.now,
                injected: [28, 29, 30],
                isOver: true
            )
        )
        script.add(
            Scorecard(number: 2, experiment: .shortLife.set(to: 10), startedAt: script.now)
        )
        return script
    }

    @Test(
        "the list has the last scorecard of the selected one",
        arguments: [(120, 40), (80, 24), (60, 16)]
    )
    func list(columns: Int, rows: Int) throws {
        let script = Self.script()
        var state = Self.state()
        _ = state.update(.events(script.events))
        state.press("E")
        state.press("j", "j", "j", "j", "j")
        try expectScreen(
            state.screen(columns, rows, script.now),
            named: "proxy-experiments-\(columns)x\(rows)"
        )
    }

    @Test("Enter asks first, and y begins it with the session that is shown")
    func question() {
        var state = Self.state()
        _ = state.update(.events(Self.script().events))
        state.press("E")
        state.press("j", "j", "j", "j")
        #expect(state.update(.key(.enter)).isEmpty)
        #expect(state.mode == .question)
        #expect(
            state.update(.key("y")) == [
                .beginExperiment(.unauthorized.at(.app), with: SessionID("1"))
            ]
        )
        #expect(state.mode == .experiments)
    }

    @Test("of a backend on this machine nothing is asked, and a session is not needed")
    func local() {
        var state = Self.state(backend: "http://127.0.0.1:8080")
        state.press("E")
        state.press("j", "j", "j", "j")
        #expect(state.update(.key(.enter)) == [.beginExperiment(.unauthorized.at(.app), with: nil)])
        state.press("/")
        state.type("refresh token")
        state.press(.enter)
        #expect(state.faultList?.selected == .fault(.missingRefreshToken.at(.app)))
    }

    @Test("Enter stops what goes on until it is stopped")
    func stop() {
        var state = Self.state()
        _ = state.update(.events(Self.script().events))
        state.press("E")
        #expect(state.update(.key(.enter)) == [.stopExperiment(.shortLife.set(to: 10))])
    }

    @Test(
        "the help and the palette name the experiments that its key lists",
        arguments: [true, false]
    )
    func words(isApp: Bool) {
        var state = Self.state()
        if !isApp {
            state = DashboardState(
                configuration: DashboardConfiguration(),
                sessions: [DashboardSession(id: SessionID("0"))]
            )
        }
        let now = EventScript().now
        _ = state.screen(120, 40, now)
        let help = HelpText.document(state.presentViewModel).lines.map(\.text)
        state.press(":")
        state.type("experiments")
        let palette = state.screen(120, 40, now).text
        let (own, other) = isApp ? ("app", "backend") : ("backend", "app")
        for text in [help.joined(separator: "\n"), palette] {
            #expect(text.contains("experiments with the \(own)"))
            #expect(!text.contains("experiments with the \(other)"))
        }
    }

    @Test("--readonly forbids it")
    func readOnly() {
        var state = Self.state(isReadOnly: true)
        #expect(state.update(.key("E")).isEmpty)
        #expect(state.notice?.message.hasPrefix("--readonly") ?? false)
    }
}
