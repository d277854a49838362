import Basics
import Profiles
import Testing

@testable import Client
@testable import Model

@Suite("ClientMachine: experiments that use the refresh token twice")
struct SessionSecondUseTests {
    /// A backend's treatment of the second use of a refresh token.
    enum Reuse: Sendable, CaseIterable {
        case strict
        case revokes
        case grace
        case forks
        case keeps
    }

    private static func signedIn(_ reuse: Reuse) -> MachineHarness {
        MachineHarness.signedIn { backend in
            switch reuse {
            case .strict: break
            case .revokes: backend.revokesOnReuse = true
            case .grace: backend.grace = 60
            case .forks:
                backend.grace = 60
                backend.forks = true
            case .keeps: backend.behavior = .keeps
            }
        }
    }

    private static func expectAlive(
        _ harness: MachineHarness,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(harness.state == .fresh, sourceLocation: sourceLocation)
        #expect(harness.vault.holder == nil, sourceLocation: sourceLocation)
        #expect(harness.vault.record?.journal == nil, sourceLocation: sourceLocation)
        #expect(
            harness.vault.record?.pair?.tokens == harness.machine.held?.tokens,
            sourceLocation: sourceLocation
        )
        // The session goes on: the next renewal obtains a pair.
        let generation = harness.generation
        harness.advance(until: { $0.generation > generation })
        #expect(harness.state == .fresh, sourceLocation: sourceLocation)
    }

    /// The verdict on a second use of the refresh token under each policy.
    private static let verdicts: [(Reuse, ExperimentVerdict)] = [
        (.strict, .refusedAlone), (.revokes, .sessionRevoked(wasAccepted: false)),
        (.grace, .acceptedAgain(isSamePair: true)),
        (.forks, .acceptedAgain(isSamePair: false)),
        (.keeps, .acceptedAgain(isSamePair: true)),
    ]

    // MARK: - Two at once

    @Test(
        "two at once: what the answers show under each policy, and with which tokens it goes on",
        arguments: verdicts
    )
    func concurrent(reuse: Reuse, verdict: ExperimentVerdict) {
        let harness = Self.signedIn(reuse)
        let token = harness.refreshToken
        harness.send(.experiment(.concurrentRefresh))
        harness.advance(0.1)
        // Both are on their way at the same time, and a crash would leave a trace of both.
        #expect(harness.refreshes.map(\.token) == [token, token])
        #expect(harness.refreshes[0].at == harness.refreshes[1].at)
        #expect(harness.vault.record?.journal?.sends == 2)
        #expect(harness.vault.holder != nil)
        harness.advance(5)
        #expect(harness.verdicts == [ExperimentResult(.concurrentRefresh, verdict)])
        #expect(
            harness.requestRecords.filter { $0.why == .experiment(.concurrentRefresh) }.count == 3
        )
        guard reuse == .revokes else { return Self.expectAlive(harness) }
        #expect(harness.refusal?.possibleCauses == [.experiment])
        #expect(harness.state == .draining(.experiment))
        harness.advance(70)
        #expect(harness.state == .signedOut(.experiment))
        #expect(harness.vault.record?.ending?.reason == .experiment)
    }

    @Test("if the tokens of the last answer turn out to be void, it goes on with the others")
    func onlyOneValid() {
        let harness = Self.signedIn(.forks)
        harness.send(.experiment(.concurrentRefresh))
        harness.advance(until: { $0.generation == 2 })
        let void = harness.refreshToken
        harness.backend.refreshFaults = [.refused]
        harness.advance(5)
        #expect(harness.verdicts == [ExperimentResult(.concurrentRefresh, .onlyOneValid)])
        #expect(harness.refreshToken != void)
        #expect(!harness.has("refreshTokenRefused"))
        Self.expectAlive(harness)
    }

    @Test("each pair names the request that brought it", arguments: [Reuse.forks, .grace])
    func requestOfPair(reuse: Reuse) throws {
        let harness = Self.signedIn(reuse)
        harness.send(.experiment(.concurrentRefresh))
        harness.advance(until: { $0.generation == 2 })
        let refreshes = harness.requestRecords.filter { $0.purpose == .refresh }
        #expect(refreshes.count == 2)
        #expect(harness.pairs.map(\.request) == [nil, refreshes.last?.id])
        // The second pair is refused: the session goes on with what the first request brought.
        guard reuse == .forks else { return }
        harness.backend.refreshFaults = [.refused]
        harness.advance(until: { $0.generation == 3 })
        #expect(harness.pairs.last?.request == refreshes.first?.id)
    }

    @Test("if both pairs are void, the end is the experiment's")
    func noneValid() {
        let harness = Self.signedIn(.forks)
        harness.send(.experiment(.concurrentRefresh))
        harness.advance(until: { $0.generation == 2 })
        harness.backend.refreshFaults = [.refused, .refused]
        harness.advance(5)
        let verdict = ExperimentVerdict.sessionRevoked(wasAccepted: true)
        #expect(harness.verdicts == [ExperimentResult(.concurrentRefresh, verdict)])
        #expect(harness.state == .draining(.experiment))
    }

    @Test(
        "answers without tokens",
        arguments: [
            // One may have spent the token before the other was refused.
            ([.lostAnswer], .sessionRevoked(wasAccepted: nil), .draining(.experiment)),
            ([.refused, .refused], .bothRefused, .draining(.revoked)),
            ([.refused, .status(429)], .inconclusive(status: 0), .draining(.revoked)),
            ([.refused, .status(503)], .sessionRevoked(wasAccepted: nil), .draining(.experiment)),
            ([.bareRefusal, .bareRefusal], .bothRefused, .fresh),
            ([.status(429), .status(429)], .inconclusive(status: 0), .fresh),
            ([.status(503), .status(503)], .inconclusive(status: 0), .fresh),
            ([.notSent, .notSent], .unanswered, .fresh),
            ([.lostRequest, .lostRequest], .unanswered, .fresh),
            ([.lostRequest], .unanswered, .fresh),
            ([.status(503)], .inconclusive(status: 0), .fresh),
        ] as [([ScriptedBackend.Fault], ExperimentVerdict, SessionState)]
    )
    func withoutTokens(
        faults: [ScriptedBackend.Fault],
        verdict: ExperimentVerdict,
        state: SessionState
    ) {
        let harness = MachineHarness.signedIn { $0.accessLifetime = 900 }
        harness.backend.refreshFaults = faults
        harness.send(.experiment(.concurrentRefresh))
        harness.advance(500)
        #expect(harness.verdicts == [ExperimentResult(.concurrentRefresh, verdict)])
        #expect(harness.state == state)
        #expect(harness.vault.holder == nil)
    }

    @Test("two refusals leave open what ended the token, the experiment included")
    func bothRefused() {
        let harness = Self.signedIn(.strict)
        harness.backend.endFamilies()
        harness.send(.experiment(.concurrentRefresh))
        harness.advance(2)
        #expect(harness.verdicts.map(\.verdict) == [.bothRefused])
        #expect(harness.refusal?.possibleCauses.contains(.revoked) == true)
        #expect(harness.refusal?.possibleCauses.last == .experiment)
        #expect(harness.refusal?.sendsWithoutAnswer == 0)
    }

    // MARK: - A lost answer

    @Test(
        "a lost answer: what the second send of the same token shows under each policy",
        arguments: verdicts
    )
    func lost(reuse: Reuse, verdict: ExperimentVerdict) {
        let harness = Self.signedIn(reuse)
        let token = harness.refreshToken
        harness.send(.experiment(.dropAfterCommit.at(.client)))
        harness.advance(0.5)
        #expect(harness.failures.map(\.failure.cause) == [.answerDiscarded])
        #expect(harness.state.name == "unknown")
        #expect(harness.refreshToken == token)
        harness.advance(20)
        #expect(harness.verdicts == [ExperimentResult(.dropAfterCommit.at(.client), verdict)])
        #expect(harness.refreshes.prefix(2).map(\.token) == [token, token])
        #expect(harness.requestRecords.first { $0.purpose == .refresh }?.why.isExperiment == true)
        guard reuse == .revokes else { return Self.expectAlive(harness) }
        #expect(harness.refusal?.possibleCauses == [.experiment])
        #expect(harness.state == .draining(.experiment))
    }

    @Test("only an answer with tokens is thrown away", arguments: [true, false])
    func nothingToLose(isRefused: Bool) {
        let harness = MachineHarness.signedIn { $0.accessLifetime = 900 }
        harness.backend.refreshFaults = [isRefused ? .refused : .status(503)]
        harness.send(.experiment(.dropAfterCommit.at(.client)))
        harness.advance(500)
        #expect(harness.verdicts.map(\.verdict) == [.inconclusive(status: 0)])
        #expect(harness.state == (isRefused ? .draining(.revoked) : .fresh))
    }

    @Test("an answer without which the session would be given up is not thrown away")
    func lastChance() {
        let harness = MachineHarness.signedIn(configuration: .testing(giveUpAfter: 1))
        harness.send(.setPaused(.all))
        harness.advance(70)
        harness.send(.experiment(.dropAfterCommit.at(.client)))
        harness.advance(2)
        #expect(harness.verdicts.map(\.verdict) == [.notMade])
        #expect(harness.generation == 2)
    }

    // MARK: - Before anything is sent

    private static let both: [Fault] = [.concurrentRefresh, .dropAfterCommit.at(.client)]

    @Test("another process that has renewed first: nothing is sent", arguments: both)
    func overtaken(experiment: Fault) {
        let harness = MachineHarness.signedIn()
        harness.siblingRenews()
        harness.send(.experiment(experiment))
        harness.advance(2)
        #expect(harness.verdicts == [ExperimentResult(experiment, .notMade)])
        #expect(harness.refreshes.isEmpty)
        #expect(harness.generation == 2)
    }

    @Test("a vault that cannot be written: nothing is sent", arguments: both)
    func unwritable(experiment: Fault) {
        let harness = MachineHarness.signedIn()
        harness.vault.writeProblem = VaultProblem(message: "disk full")
        harness.send(.experiment(experiment))
        harness.advance(2)
        #expect(harness.verdicts == [ExperimentResult(experiment, .notMade)])
        #expect(harness.refreshes.isEmpty)
        harness.vault.writeProblem = nil
        harness.advance(until: { $0.generation == 2 })
        // The next renewal is an ordinary one.
        #expect(harness.refreshes.count == 1)
        #expect(harness.state == .fresh)
    }

    @Test("they need a refresh token, and no renewal in progress", arguments: both)
    func rejected(experiment: Fault) {
        let without = MachineHarness.signedIn(configuration: .testing(hasRefreshToken: false)) {
            $0.hasRefreshToken = false
        }
        without.send(.experiment(experiment))
        #expect(without.rejections == [.noRefreshToken])
        let renewing = MachineHarness.signedIn()
        renewing.send(.refreshNow)
        renewing.send(.experiment(experiment))
        #expect(renewing.rejections == [.renewalUnderWay])
    }

    @Test("a logout ends them: what arrives later is revoked, and changes nothing", arguments: both)
    func loggedOut(experiment: Fault) {
        let harness = MachineHarness.signedIn()
        harness.send(.experiment(experiment))
        harness.advance(0.1)
        #expect(!harness.refreshes.isEmpty)
        harness.send(.logOut(.this))
        #expect(harness.verdicts == [ExperimentResult(experiment, .interrupted)])
        harness.advance(5)
        #expect(harness.state == .signedOut(.user))
        #expect(harness.verdicts.count == 1)
        #expect(harness.vault.record?.pair == nil)
        #expect(harness.vault.holder == nil)
    }
}

@Suite("ClientMachine: what the user changes around a session")
struct SessionSurroundingsTests {
    @Test("a shifted clock is an event, its skew is found, and the renewal stays where it was")
    func clock() {
        let harness = MachineHarness.signedIn { $0.ahead = 0 }
        let refreshAt = harness.machine.schedule?.refreshAt
        harness.stepWall(300)
        harness.backend.ahead = -300
        harness.send(.clockShifted(seconds: 300))
        #expect(harness.has("wallStep"))
        #expect(harness.snapshot.clockShift == 300)
        #expect(harness.machine.schedule?.refreshAt == refreshAt)
        harness.request(1)
        harness.advance(1)
        let offset = harness.snapshot.serverOffset
        #expect(offset.map { $0.low <= -299 && $0.likelyHigh >= -301 } == true)
        harness.stepWall(-300)
        harness.send(.clockShifted(seconds: 0))
        #expect(harness.snapshot.clockShift == 0)
    }

    @Test("faults are an event when they are others than before, and only then")
    func faults() {
        let harness = MachineHarness.signedIn()
        #expect(harness.snapshot.faults == nil)
        func observe(_ active: [String], by origin: FaultsChange.Origin) {
            harness.send(.faultsObserved(FaultsChange(active: active, by: origin)))
        }
        observe([], by: .sandbox)
        #expect(!harness.has("faultsChanged"))
        observe(["delay"], by: .user)
        observe(["delay"], by: .sandbox)
        #expect(harness.count("faultsChanged") == 1)
        #expect(harness.snapshot.faults == ["delay"])
        observe([], by: .sandbox)
        #expect(harness.snapshot.faults == [])
        let kinds = harness.snapshot.history.entries.map(\.kind)
        let changes = kinds.compactMap { $0 as? FaultsChange }
        #expect(changes.contains(FaultsChange(active: ["delay"], by: .user)))
        #expect(changes.last == FaultsChange(active: [], by: .sandbox))
    }
}
