import FoundationEssentials
import Model
import Testing

@testable import Basics
@testable import Client
@testable import Profiles

@Suite("ClientMachine: the values that requests send again")
struct SessionCaptureTests {
    private static let csrf = CaptureReference(name: "csrf", source: "cookie:csrf")

    private static func values(_ text: String) -> CapturedValues {
        CapturedValues(["csrf": Secret(text)])
    }

    private static func harness(
        _ captured: CaptureChange = CaptureChange(values: ["csrf": Secret("csrf-1")])
    ) -> MachineHarness {
        MachineHarness.signedIn(
            configuration: .testing(
                logoutNeeds: [.this: LogoutNeeds(refresh: true, captures: ["csrf"])],
                captures: [csrf]
            )
        ) { $0.captured = captured }
    }

    private static func described(_ harness: MachineHarness) -> [[CaptureDescription]] {
        harness.events.compactMap { event in
            (event.kind as? TokensIssued)?.pair.captures
                ?? (event.kind as? CapturesChanged)?.captures
        }
    }

    private static func description(_ text: String?) -> [CaptureDescription] {
        let name = text.map { Fingerprinter.testing.fingerprint(of: Secret($0)) }
        return [CaptureDescription(csrf, fingerprint: name)]
    }

    @Test("are stored with the login's pair, and kept by a renewal that brings none")
    func kept() {
        let harness = Self.harness()
        #expect(harness.vault.record?.pair?.tokens.captures == Self.values("csrf-1"))
        harness.backend.captured = .none
        harness.advanceToSoft()
        harness.advance(1)
        #expect(harness.machine.held?.generation == 2)
        #expect(harness.machine.held?.tokens.captures == Self.values("csrf-1"))
        #expect(harness.vault.record?.pair?.tokens.captures == Self.values("csrf-1"))
    }

    @Test("are replaced by those of a renewal")
    func replaced() {
        let harness = Self.harness()
        harness.backend.captured = CaptureChange(values: ["csrf": Secret("csrf-2")])
        harness.advanceToSoft()
        harness.advance(1)
        #expect(harness.machine.held?.tokens.captures == Self.values("csrf-2"))
        #expect(
            Self.described(harness) == [Self.description("csrf-1"), Self.description("csrf-2")]
        )
    }

    @Test("one that no answer brought is described as missing")
    func missing() {
        #expect(Self.described(Self.harness(.none)) == [Self.description(nil)])
    }

    @Test("are replaced by those of a protected request, and stored")
    func protected() {
        let harness = Self.harness()
        harness.backend.captured = CaptureChange(values: ["csrf": Secret("csrf-2")])
        harness.request(1)
        harness.advance(1)
        #expect(harness.machine.held?.generation == 1)
        #expect(harness.vault.record?.pair?.tokens.captures == Self.values("csrf-2"))
        #expect(Self.described(harness).last == Self.description("csrf-2"))
        let count = harness.events.count { event in
            event.kind is CapturesChanged
        }
        harness.request(2)
        harness.advance(1)
        let again = harness.events.count { event in
            event.kind is CapturesChanged
        }
        #expect((count, again) == (1, 1))
    }

    @Test("two changes in a row are stored both, the last one last")
    func twoChanges() {
        let harness = Self.harness()
        harness.vault.latency = 5
        harness.backend.captured = CaptureChange(values: ["csrf": Secret("csrf-2")])
        harness.request(1)
        harness.advance(1)
        harness.backend.captured = CaptureChange(values: ["csrf": Secret("csrf-3")])
        harness.request(2)
        harness.advance(20)
        #expect(harness.vault.record?.pair?.tokens.captures == Self.values("csrf-3"))
    }

    @Test("a change during a flight leaves its journal in place")
    func duringFlight() {
        let harness = Self.harness()
        harness.backend.refreshFaults = [.lostRequest]
        harness.backend.roundTrip = 2
        harness.advanceToSoft()
        harness.advance(0.5)
        harness.backend.roundTrip = 0.1
        harness.backend.captured = CaptureChange(values: ["csrf": Secret("csrf-2")])
        harness.request(1)
        harness.advance(0.5)
        #expect(harness.vault.record?.pair?.tokens.captures == Self.values("csrf-2"))
        #expect(harness.vault.record?.journal?.sends == 1)
    }

    @Test("a change beside another process's flight leaves that one's journal in place")
    func besideAnothersFlight() {
        let harness = Self.harness()
        let journal = FlightJournal(generation: 1, sends: 1, preparedAt: harness.moment.wall)
        harness.vault.record?.journal = journal
        harness.backend.captured = CaptureChange(values: ["csrf": Secret("csrf-2")])
        harness.vault.writeProblem = VaultProblem(message: "disk full")
        harness.request(1)
        harness.advance(0.5)
        harness.vault.writeProblem = nil
        harness.advance(2)
        #expect(harness.vault.record?.pair?.tokens.captures == Self.values("csrf-2"))
        #expect(harness.vault.record?.journal == journal)
    }

    @Test("those that another process stored with the same pair are taken over")
    func followed() {
        let harness = Self.harness()
        harness.vault.record?.pair?.tokens.captures = Self.values("csrf-2")
        harness.send(.vaultChanged)
        harness.settle()
        #expect(harness.machine.held?.tokens.captures == Self.values("csrf-2"))
        #expect(Self.described(harness).last == Self.description("csrf-2"))
    }

    @Test("those of another process's renewal come with its pair")
    func adopted() {
        let harness = Self.harness()
        harness.siblingRenews()
        harness.vault.record?.pair?.tokens.captures = Self.values("csrf-2")
        harness.send(.vaultChanged)
        harness.settle()
        #expect(harness.machine.held?.generation == 2)
        #expect(harness.machine.held?.tokens.captures == Self.values("csrf-2"))
    }

    @Test("go with a logout, and are gone from the pair")
    func revoked() {
        let harness = Self.harness()
        harness.send(.logOut(.this))
        harness.advance(1)
        #expect(harness.revocations.map(\.entry.captures) == [Self.values("csrf-1")])
        #expect(harness.vault.record?.pair == nil)
        #expect(harness.vault.record?.secrets == [])
    }

    @Test("a logout that needs one that is missing is not sent, and why is said")
    func logoutWithout() {
        let harness = Self.harness(.none)
        harness.send(.logOut(.this))
        harness.advance(1)
        #expect(harness.revocations.isEmpty)
        #expect(harness.revocationPhases == [.noCapturedValue])
        #expect(harness.vault.record?.outbox == [])
    }

    @Test("a renewal that ends the refresh token leaves a session without one")
    func refreshTokenEnds() throws {
        let harness = Self.harness()
        let held = try #require(harness.machine.held)
        var issued = IssuedTokens(access: AccessToken(Secret("a2")), refresh: nil)
        issued.endsRefreshToken = true
        let ledger = SessionLedger(
            held,
            rules: SessionLedger.Rules(rotation: .maybe, refreshSlides: true)
        )
        let next = ledger.successor(
            issued,
            sentAt: harness.moment,
            server: ServerClock(),
            wasDueForRefreshToken: false
        )
        #expect(next.tokens.refresh == nil)
        #expect(next.tokens.captures == Self.values("csrf-1"))
    }
}
