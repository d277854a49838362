import Basics
import Observer
import Testing

@testable import Model

/// An app that renews, and goes on to send the token of before.
@Suite("A request with an old token")
struct OldTokenTests {
    private static func script() -> TrafficScript {
        var script = TrafficScript()
        script.logIn(life: 6)
        script.wait(6)
        for number in 1...4 {
            script.call(1, "/items", 401)
            script.renew(number, life: 6)
            script.connection += 1
            script.wait(0.1)
            script.call(1, "/items", 401)
            script.wait(1.5)
            script.connection += 1
        }
        return script
    }

    @Test("says nothing of the session, which has a newer one")
    func status() {
        let run = ObservationRun(Self.script(), after: 0)
        let session = SessionSnapshot(folding: run.events)
        guard case .live? = session.observed.status else {
            Issue.record("\(String(describing: session.observed.status))")
            return
        }
    }

    @Test("is found as what it is")
    func finding() {
        let run = ObservationRun(Self.script())
        #expect(Set(run.findings.map(\.rule)) == ["stale-token"], "\(run.summary)")
    }

    @Test("is followed by no pair that was there before")
    func followUp() {
        let run = ObservationRun(Self.script(), after: 0)
        let session = SessionSnapshot(folding: run.events)
        let refused = session.requests.filter(\.wasTokenRefused)
        #expect(refused.count == 8)
        // Each pair came between the two requests of its round.
        #expect(refused.map(\.issuedAfter) == [2, 3, 3, 4, 4, 5, 5, nil])
    }
}
