import Basics
import Testing
import UI

@testable import Model

@Suite("The feed's pane")
struct FeedPaneTests {
    @Test(
        "its title has the true rate, however many messages came",
        arguments: [(0, "0.0 /s"), (1, "1.0 /s"), (300, "29"), (4000, "39")]
    )
    func rate(perSecond: Int, text: String) {
        var script = EventScript()
        script.capabilities()
        script.logIn()
        script.open()
        for _ in 0..<12 * perSecond {
            script.wait(1 / Double(perSecond))
            script.message()
        }
        if perSecond == 0 { script.wait(12) }
        var state = DashboardState(script)
        let screen = state.screen(120, 40, script.now).text
        #expect(screen.contains(" · \(text)"), "\(screen)")
    }

    @Test("in the first seconds the rate is that of the time since the first message")
    func firstRate() {
        var rate = ArrivalRate()
        for tenth in 1...35 {
            rate.record(at: .origin.advanced(bySeconds: Double(tenth) / 10))
            let now = rate.perSecond(at: .origin.advanced(bySeconds: Double(tenth) / 10))
            #expect(now == (tenth < 10 ? Double(tenth) : 10))
        }
    }

    @Test("the rate falls to nothing once nothing comes")
    func quiet() {
        var rate = ArrivalRate()
        for second in 0..<20 { rate.record(at: .origin.advanced(bySeconds: Double(second))) }
        #expect(rate.perSecond(at: .origin.advanced(bySeconds: 19)) == 1)
        #expect(rate.perSecond(at: .origin.advanced(bySeconds: 24)) == 0.5)
        #expect(rate.perSecond(at: .origin.advanced(bySeconds: 29)) == 0)
    }

    @Test("a line's detail says how much the compression of its socket saves")
    func compression() {
        var script = EventScript.ordinary()
        let traffic = FeedTraffic(received: 3_000, content: 12_000)
        script.add(
            FeedPinged(socket: script.sockets, roundTrip: .milliseconds(1), traffic: traffic)
        )
        script.message()
        var state = DashboardState(script)
        state.press(.character("4"), .enter)
        let screen = state.screen(120, 40, script.now).text
        #expect(screen.contains("to 25 % so far: 11.7 KiB came as 2.9 KiB"), "\(screen)")
    }
}
