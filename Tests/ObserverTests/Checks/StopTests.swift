import Backend
import Basics
import Profiles
import Testing

@testable import Observer

@Suite("A check that is stopped")
struct StopTests {
    @Test(
        "sends logouts alone, and leaves no session, whenever that is",
        arguments: [0.0, 0.2, 0.6, 1.1, 1.7, 2.3, 3, 4, 5, 8, 13, 30, 62]
    )
    func stopped(seconds: Double) throws {
        let dialect = try #require(Dialect.builtIn(named: "oauth2"))
        var policy = BackendPolicy(
            of: dialect,
            refreshLifetime: 600,
            reuse: .grace(seconds: 20)
        )
        policy.rotation = .replaces
        var check = VirtualCheck(dialect: dialect, policy: policy)
        check.stopsAt = seconds
        let (report, end, alive) = check.run()
        #expect(alive == report.sessions.left)
        #expect(report.sessions.left == 0)
        #expect(end < seconds + 10)
        let later = report.exchanges.filter { $0.sentAt > seconds }
        #expect(later.isEmpty, "\(later)")
    }
}
