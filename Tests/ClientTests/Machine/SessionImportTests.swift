import Basics
import Model
import Profiles
import Testing

@testable import Client

@Suite("ClientMachine: a pair that is brought")
struct SessionImportTests {
    private static func harness(accessEndsIn seconds: Double) -> MachineHarness {
        var configuration = SessionConfiguration.testing(logInAtStart: false)
        configuration.imported = IssuedTokens(
            access: AccessToken(Secret("brought-access")),
            refresh: RefreshToken(Secret("brought-refresh")),
            accessEvidence: [.webToken(expiresAt: MachineHarness.epoch + seconds, issuedAt: nil)]
        )
        let harness = MachineHarness(configuration: configuration)
        harness.send(.start)
        harness.settle()
        return harness
    }

    @Test("is stored and used, without a login")
    func used() {
        let harness = Self.harness(accessEndsIn: 600)
        #expect(harness.path == ["cold", "signedOut", "signingIn", "fresh"])
        #expect(harness.logins == 0)
        #expect(harness.generation == 1)
        #expect(harness.machine.held?.tokens.access.secret == Secret("brought-access"))
        #expect(harness.count("tokensIssued") == 1)
        #expect(harness.vault.record?.pair?.tokens == harness.machine.held?.tokens)
    }

    @Test("with an expired access token is renewed at once")
    func over() {
        let harness = Self.harness(accessEndsIn: -60)
        #expect(harness.path.contains("blocked"))
        harness.advance(0.3)
        #expect(harness.refreshes.map(\.token) == [RefreshToken(Secret("brought-refresh"))])
    }
}
