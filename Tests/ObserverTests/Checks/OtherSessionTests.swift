import Backend
import Basics
import Profiles
import Testing

@testable import Observer

@Suite("The sessions that a check does not start")
struct OtherSessionTests {
    private func actions(of dialect: Dialect, _ options: CheckOptions) -> [CheckAction] {
        let policy = BackendPolicy(of: dialect, refreshLifetime: 600, reuse: .strict)
        let check = VirtualCheck(dialect: dialect, policy: policy, options: options)
        return check.run().report.exchanges.map(\.action)
    }

    @Test("are not logged out by a check that names no probe", arguments: Dialect.builtIn())
    func standard(dialect: Dialect) {
        for options in [CheckOptions(interval: 0.05), CheckOptions(probes: CheckOptions.quick)] {
            let ends = actions(of: dialect, options).contains { action in
                if case .logout(.everywhere, _) = action { true } else { false }
            }
            #expect(!ends)
        }
    }

    @Test("are logged out by logout-all alone")
    func named() throws {
        let dialect = try #require(Dialect.builtIn(named: "melchat"))
        let named = CheckOptions(probes: [.login, .logoutAll], interval: 0.05)
        #expect(actions(of: dialect, named).contains(.logout(.everywhere, family: 0)))
        #expect(ProbeName.allCases.filter(\.endsOtherSessions) == [.logoutAll])
    }
}
