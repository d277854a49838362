import Dialects
import Lifecycle
import Observation
import Testing
import Tokens

/// What a client that makes no mistake does, where the traffic looks as if it made one.
@Suite("Sound clients that look like faulty ones")
struct SoundClientTests {
    private static func mistakes(_ script: TrafficScript) -> [String] {
        ObservationRun(script).findings.filter { $0.severity == .bug }.map { finding in
            "\(finding.rule) \(finding.confidence) \(finding.exchanges): \(finding.message)"
        }
    }

    /// A refusal in which nothing is said of the refresh token.
    private static func refuseBarely(_ number: Int, in script: inout TrafficScript) {
        let exchange = script.askRefresh(number)
        script.finish(exchange, 401)
    }

    @Test("a refusal without a reason is not for good where the token was accepted in between")
    func refusedAndAccepted() {
        var script = TrafficScript()
        script.logIn()
        script.wait(290)
        Self.refuseBarely(1, in: &script)
        script.wait(6)
        let renewal = script.askRefresh(1)
        script.finish(renewal, 200, TrafficScript.pair(2, refresh: false))
        script.wait(280)
        Self.refuseBarely(1, in: &script)
        for wait in [6.0, 1, 6] {
            script.wait(wait)
            let failed = script.askRefresh(1)
            script.finish(failed, 429)
        }
        #expect(Self.mistakes(script) == [])
    }

    @Test("two refusals without a reason at once, or of two processes, are not for good")
    func refusedAtOnce() {
        var script = TrafficScript()
        script.logIn()
        script.wait(290)
        for process in 1...5 {
            script.peer = "127.0.0.\(process)"
            Self.refuseBarely(1, in: &script)
            script.wait(6)
        }
        #expect(Self.mistakes(script) == [])
    }

    @Test("what is sent after refusals without a reason is likely a loop, and no more")
    func likelyLoop() throws {
        var script = TrafficScript()
        script.logIn()
        script.wait(290)
        for _ in 1...5 {
            Self.refuseBarely(1, in: &script)
            script.wait(6)
        }
        let run = ObservationRun(script)
        let finding = try #require(run.findings.first, "\(run.summary)")
        #expect(run.findings.count == 1, "\(run.summary)")
        #expect(finding.rule == "dead-refresh-loop")
        #expect(finding.confidence == .likely)
        #expect(finding.exchanges == [3, 4, 5, 6])
    }
}
