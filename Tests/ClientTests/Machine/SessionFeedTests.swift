import Basics
import Model
import Testing

@testable import Client

@Suite("ClientMachine: a feed that is refused")
struct SessionFeedTests {
    @Test(
        "refused upgrades never hold back the renewals of the timer",
        arguments: [5.0, 15, 60, 900]
    )
    func renewalsGoOn(lifetime: Double) {
        let harness = MachineHarness.signedIn { $0.accessLifetime = lifetime }
        var refused = 0
        for _ in 0..<30 {
            if let token = harness.machine.feedToken, token.generation > refused {
                refused = token.generation
                harness.send(.feed(.refused(socket: harness.sockets, status: 403, retryAfter: nil)))
            }
            harness.advance(lifetime / 10)
            #expect(harness.machine.isTokenUsable(at: harness.moment.now))
            #expect(harness.machine.flags.breakerOpenUntil == nil)
        }
        #expect(refused > 2)
    }

    @Test("a user who renews also has a stopped feed dialed")
    func dialsAgain() {
        let harness = MachineHarness.signedIn()
        harness.send(.feed(.refused(socket: 1, status: 404, retryAfter: nil)))
        let dials = harness.sockets
        harness.send(.refreshNow)
        #expect(harness.sockets == dials + 1)
    }
}
