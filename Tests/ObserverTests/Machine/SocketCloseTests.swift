import Model
import Profiles
import Testing

@testable import Basics
@testable import Observer

/// The codes and texts with which backends close sockets because of their tokens.
@Suite("The end of a socket")
struct SocketCloseTests {
    /// Dials with an access token that had ended, and has the socket closed.
    private static func run(
        by side: TrafficSide = .backend,
        _ code: Int?,
        _ reason: String = "",
        after seconds: Double = 0.1
    ) -> ObservationRun {
        var script = TrafficScript()
        script.logIn(life: 60)
        script.call(1)
        script.wait(70)
        for _ in 1...6 {
            let socket = script.dial("/socket", bearer: TrafficScript.access(1))
            script.open(socket)
            script.wait(seconds)
            script.close(socket, by: side, code: code, reason: reason)
            script.wait(1)
        }
        return ObservationRun(script, after: 0)
    }

    /// The loops of dials that were each refused.
    private static func loops(_ run: ObservationRun) -> [ObservedFinding] {
        run.findings.filter { $0.rule == "socket-stale-dial" && $0.variant == "socket-loop" }
    }

    private static let codes = [1008, 3000, 3003, 3005, 3500, 4001, 4003, 4004, 4400, 4401, 4403]

    @Test("refuses the token by its code", arguments: codes)
    func code(code: Int) {
        let run = Self.run(code)
        #expect(Self.loops(run).count == 1, "\(run.summary)")
    }

    @Test("refuses nothing if the app closes it with such a code", arguments: codes)
    func byApp(code: Int) {
        #expect(Self.loops(Self.run(by: .app, code)).isEmpty)
    }

    @Test("refuses nothing if it comes late", arguments: codes)
    func late(code: Int) {
        #expect(Self.loops(Self.run(code, after: 5.5)).isEmpty)
    }

    @Test(
        "refuses nothing with another code",
        arguments: [1000, 1001, 1006, 1011, 1013, 4429, nil]
    )
    func otherCode(code: Int?) {
        #expect(Self.loops(Self.run(code)).isEmpty)
    }

    @Test(
        "refuses the token by its text",
        arguments: [
            "Unauthorized", "token expired", "JWT is expired", "Error: invalid token",
            "session expired, sign in again", "Not authenticated.",
        ]
    )
    func reason(text: String) {
        for code in [1000, 1011, 4000] {
            let loops = Self.loops(Self.run(code, text))
            #expect(loops.count == 1 && loops.allSatisfy { $0.confidence == .likely })
        }
    }

    @Test(
        "refuses nothing with another text",
        arguments: ["", "server restart", "idle timeout", "too many connections", "bye"]
    )
    func otherReason(text: String) {
        #expect(Self.loops(Self.run(1_000, text)).isEmpty)
    }
}
