import Basics
import Model
import Profiles
import Testing

@testable import Client

@Suite("ClientMachine: experiments with the backend")
struct SessionExperimentTests {
    /// After a renewal that replaced the refresh token.
    private static func renewed(
        _ change: (inout ScriptedBackend) -> Void = { _ in }
    ) -> MachineHarness {
        let harness = MachineHarness.signedIn(change)
        harness.send(.refreshNow)
        harness.advance(until: { $0.generation == 2 })
        return harness
    }

    // MARK: - A corrupted access token

    @Test(
        "what the answer to a corrupted access token shows",
        arguments: [
            (.refused, .tokenRefused(status: 401)),
            (.clientFault(200), .tokenAccepted(status: 200, secondsAfterEnd: nil)),
            (.status(503), .inconclusive(status: 503)), (.lostAnswer, .unanswered),
            (.notSent, .unanswered),
        ] as [(ScriptedBackend.Fault, ExperimentVerdict)]
    )
    func corrupted(fault: ScriptedBackend.Fault, verdict: ExperimentVerdict) {
        let harness = MachineHarness.signedIn()
        harness.backend.protectedFaults = [fault]
        harness.send(.experiment(.corruptedToken))
        harness.advance(1)
        #expect(harness.verdicts == [ExperimentResult(.corruptedToken, verdict)])
        #expect(harness.requestRecords.last?.why == .experiment(.corruptedToken))
    }

    @Test("its refusals neither renew nor end the session, nor open the circuit breaker")
    func corruptedIsNoFailure() {
        let harness = MachineHarness.signedIn(configuration: .testing(secondRefusalEnds: true))
        for _ in 1...10 {
            harness.send(.experiment(.corruptedToken))
            harness.advance(1)
        }
        #expect(harness.verdicts.count == 10)
        #expect(harness.state == .fresh)
        #expect(harness.refreshes.isEmpty)
        #expect(!harness.has("circuitBreakerOpened"))
        let snapshot = harness.snapshot
        #expect(snapshot.statistics.requests.unauthorized == 0)
        #expect(snapshot.generations.last?.refusals == 0)
        let scorecards = snapshot.experiments.scorecards
        #expect(scorecards.map(\.experiment) == [.corruptedToken])
        #expect(scorecards.first?.lines.map(\.shown) == [.tokenRefused(status: 401)])
    }

    @Test(
        "one character differs, in a JWT one of its signature",
        arguments: ["eyJhbGciOiJub25lIn0.eyJzdWIiOiIxIn0.c2lnbmF0dXJl", "opaque-token-AAAA", "A"]
    )
    func character(text: String) {
        let token = AccessToken(Secret(text)).corrupted.secret.reveal()
        #expect(token.count == text.count)
        let places = zip(token, text).enumerated().filter { $0.element.0 != $0.element.1 }
        #expect(places.count == 1)
        #expect((places.first?.offset ?? 0) >= text.count * 2 / 3)
    }

    // MARK: - An expired access token

    @Test("without a token that has expired, it says until when the one in use lives")
    func notExpired() {
        let harness = MachineHarness.signedIn()
        harness.send(.experiment(.expiredToken))
        guard case .noExpiredToken(let endsAt?)? = harness.rejections.last else {
            Issue.record("no rejection: \(harness.rejections)")
            return
        }
        #expect(endsAt.seconds(since: harness.moment.now) > 50)
        #expect(harness.protectedSends.isEmpty)
    }

    @Test("a corrupted token that has expired as well may be refused for either")
    func corruptedAndExpired() {
        let harness = MachineHarness.signedIn()
        harness.send(.setPaused(.all))
        harness.advance(62)
        harness.send(.experiment(.corruptedToken))
        harness.advance(1)
        #expect(
            harness.verdicts.last?.verdict == .tokenRefused(status: 401, hasOtherCause: true)
        )
    }

    @Test("the token before the one in use is sent once it has expired", arguments: [false, true])
    func expired(isAccepted: Bool) {
        let harness = Self.renewed()
        harness.advance(62)
        let generation = harness.generation
        harness.backend.protectedFaults = isAccepted ? [.clientFault(200)] : []
        harness.send(.experiment(.expiredToken))
        harness.advance(0.5)
        #expect(harness.generation == generation)
        #expect(harness.protectedSends.last?.token != harness.machine.held?.tokens.access)
        switch harness.verdicts.last?.verdict {
        case .tokenAccepted(200, let seconds?): #expect(isAccepted && seconds > 0)
        // The renewal that replaced it may have ended it, too.
        case .tokenRefused(401, hasOtherCause: true): #expect(!isAccepted)
        default: Issue.record("\(harness.verdicts)")
        }
        #expect(harness.state == .fresh)
    }

    // MARK: - The replaced refresh token

    @Test("there is none before the first renewal that replaces it")
    func notReplaced() {
        let harness = MachineHarness.signedIn()
        harness.send(.experiment(.replayedToken))
        #expect(harness.rejections == [.noReplacedToken])
        harness.backend.behavior = .keeps
        harness.send(.refreshNow)
        harness.advance(until: { $0.generation == 2 })
        harness.send(.experiment(.replayedToken))
        #expect(harness.rejections == [.noReplacedToken, .noReplacedToken])
    }

    @Test("a backend that refuses it alone leaves the session alive")
    func refusedAlone() {
        let harness = Self.renewed()
        let replaced = harness.refreshes[0].token
        harness.send(.experiment(.replayedToken))
        harness.advance(3)
        #expect(harness.verdicts == [ExperimentResult(.replayedToken, .refusedAlone)])
        #expect(harness.refreshes.map(\.token).filter { $0 == replaced }.count == 2)
        #expect(harness.generation == 3)
        #expect(harness.state == .fresh)
        #expect(harness.vault.holder == nil)
    }

    @Test("a backend with a grace period answers with the tokens in use")
    func grace() {
        let harness = Self.renewed { $0.grace = 60 }
        harness.send(.experiment(.replayedToken))
        harness.advance(3)
        let verdict = ExperimentVerdict.acceptedAgain(isSamePair: true)
        #expect(harness.verdicts == [ExperimentResult(.replayedToken, verdict)])
        #expect(harness.state == .fresh)
    }

    @Test("a backend that lets tokens fork brings others, which are not used")
    func forks() {
        let harness = Self.renewed {
            $0.grace = 60
            $0.forks = true
        }
        let held = harness.refreshToken
        harness.send(.experiment(.replayedToken))
        harness.advance(0.5)
        #expect(harness.refreshToken == held)
        harness.advance(3)
        let verdict = ExperimentVerdict.acceptedAgain(isSamePair: false)
        #expect(harness.verdicts == [ExperimentResult(.replayedToken, verdict)])
    }

    @Test("a backend with reuse detection ends the session, and that is named as the experiment's")
    func revoked() {
        let harness = Self.renewed { $0.revokesOnReuse = true }
        harness.send(.experiment(.replayedToken))
        harness.advance(3)
        let verdict = ExperimentVerdict.sessionRevoked(wasAccepted: false)
        #expect(harness.verdicts == [ExperimentResult(.replayedToken, verdict)])
        #expect(harness.refusal?.possibleCauses == [.experiment])
        #expect(harness.state == .draining(.experiment))
        harness.advance(70)
        #expect(harness.state == .signedOut(.experiment))
        #expect(harness.vault.record?.ending?.reason == .experiment)
    }

    @Test(
        "without a verdict on the replayed token, nothing is claimed of it",
        arguments: [ScriptedBackend.Fault.lostAnswer, .status(503)]
    )
    func revokedUnheard(fault: ScriptedBackend.Fault) {
        let harness = Self.renewed()
        harness.backend.refreshFaults = [fault, .refused]
        harness.send(.experiment(.replayedToken))
        harness.advance(3)
        let verdict = ExperimentVerdict.sessionRevoked(wasAccepted: nil)
        #expect(harness.verdicts == [ExperimentResult(.replayedToken, verdict)])
    }

    @Test(
        "if the session ends before the replayed token is answered, that answer is awaited",
        arguments: [([], false), ([.lostAnswer], nil)] as [([ScriptedBackend.Fault], Bool?)]
    )
    func revokedBefore(faults: [ScriptedBackend.Fault], wasAccepted: Bool?) {
        let harness = Self.renewed { $0.revokesOnReuse = true }
        let roundTrip = harness.backend.roundTrip
        harness.backend.refreshFaults = faults
        harness.backend.roundTrip = 5
        harness.send(.experiment(.replayedToken))
        harness.backend.roundTrip = roundTrip
        harness.send(.refreshNow)
        harness.advance(2)
        #expect(harness.state == .draining(.experiment))
        #expect(harness.verdicts.isEmpty)
        harness.advance(30)
        let verdict = ExperimentVerdict.sessionRevoked(wasAccepted: wasAccepted)
        #expect(harness.verdicts == [ExperimentResult(.replayedToken, verdict)])
    }

    @Test("an accepted replay after which the session cannot be renewed is named, too")
    func acceptedAndRevoked() {
        let harness = Self.renewed { $0.grace = 60 }
        harness.send(.experiment(.replayedToken))
        harness.backend.refreshFaults = [.refused]
        harness.advance(3)
        let verdict = ExperimentVerdict.sessionRevoked(wasAccepted: true)
        #expect(harness.verdicts == [ExperimentResult(.replayedToken, verdict)])
    }

    @Test("a refusal that no experiment preceded has its own name")
    func ordinaryRefusal() {
        let harness = Self.renewed { $0.revokesOnReuse = true }
        harness.backend.endFamilies()
        harness.send(.refreshNow)
        harness.advance(1)
        #expect(harness.state == .draining(.revoked))
    }

    @Test("the replaced token is never stored")
    func notStored() {
        let harness = Self.renewed()
        let replaced = harness.refreshes[0].token
        harness.send(.experiment(.replayedToken))
        harness.advance(3)
        #expect(harness.vault.record?.secrets.contains(replaced.secret) == false)
    }

    // MARK: - The feed

    @Test("a feed that is cut: when it came back, and what is missing", arguments: [0, 3])
    func feed(missed: Int64) {
        let harness = MachineHarness.signedIn()
        harness.send(.feed(.dialStarted(socket: 1, target: "/feed")))
        harness.send(.feed(.opened(socket: 1)))
        harness.message(1, on: 1)
        harness.send(.experiment(.feedClose.at(.client)))
        harness.send(
            .feed(.closed(socket: 1, code: 1006, by: .transport, reason: ""))
        )
        harness.advance(2)
        harness.send(.feed(.dialStarted(socket: 2, target: "/feed")))
        harness.send(.feed(.opened(socket: 2)))
        harness.advance(1)
        harness.message(2 + missed, on: 2)
        guard case .feedReturned(let seconds, let count)? = harness.verdicts.last?.verdict else {
            Issue.record("\(harness.verdicts)")
            return
        }
        #expect(abs(seconds - 2) < 0.01)
        #expect(count == Int(missed))
        #expect(harness.state == .fresh)
    }

    @Test("a feed that stays away, or returns and is silent", arguments: [false, true])
    func feedAway(returns: Bool) {
        let harness = MachineHarness.signedIn { $0.accessLifetime = 900 }
        harness.send(.experiment(.feedClose.at(.client)))
        #expect(harness.rejections == [.noOpenFeed])
        harness.send(.feed(.dialStarted(socket: 1, target: "/feed")))
        harness.send(.feed(.opened(socket: 1)))
        harness.send(.experiment(.feedClose.at(.client)))
        harness.send(
            .feed(.closed(socket: 1, code: 1006, by: .transport, reason: ""))
        )
        harness.advance(2)
        if returns { harness.send(.feed(.opened(socket: 2))) }
        harness.advance(40)
        switch harness.verdicts.last?.verdict {
        case .feedReturnedSilent: #expect(returns)
        case .feedStayedAway: #expect(!returns)
        default: Issue.record("\(harness.verdicts)")
        }
    }

    // MARK: - One at a time

    @Test("there is one at a time, and a logout ends it: a late answer changes nothing")
    func interrupted() {
        let harness = Self.renewed()
        harness.send(.experiment(.replayedToken))
        harness.send(.experiment(.corruptedToken))
        #expect(harness.rejections == [.experimentUnderWay])
        harness.send(.logOut(.this))
        #expect(harness.verdicts == [ExperimentResult(.replayedToken, .interrupted)])
        harness.advance(5)
        #expect(harness.state == .signedOut(.user))
        #expect(harness.verdicts.count == 1)
    }

    @Test("there is nothing to experiment with before a login")
    func signedOut() {
        let harness = MachineHarness.signedOut()
        for experiment in Fault.ofClient { harness.send(.experiment(experiment)) }
        #expect(harness.rejections == Fault.ofClient.map { _ in .nothingToRenew })
        #expect(!harness.has("experimentStarted"))
    }
}

extension MachineHarness {
    fileprivate func message(_ number: Int64, on socket: Int) {
        let message = FeedMessage(id: nil, seq: number, type: nil, excerpt: "")
        send(.feed(.message(socket: socket, message, key: "seq \(number)")))
    }
}
