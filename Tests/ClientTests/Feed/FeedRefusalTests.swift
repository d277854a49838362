import Basics
import Client
import Testing

@testable import Model
@testable import Profiles

@Suite("FeedMachine: refused tokens")
struct FeedRefusalTests {
    @Test(
        "an older token is refused: the newer one is dialed with at once",
        arguments: [401, 403]
    )
    func olderToken(status: Int) {
        let harness = FeedHarness()
        harness.token(1)
        harness.token(2)
        harness.send(.refused(socket: 1, status: status, retryAfter: nil))
        #expect(harness.dials.map(\.generation) == [1, 2])
        #expect(harness.rejections.isEmpty)
    }

    @Test("the newest token is refused: one renewal is forced, and its token dialed with")
    func forcesRenewal() {
        let harness = FeedHarness()
        harness.token(1)
        harness.send(.refused(socket: 1, status: 403, retryAfter: nil))
        #expect(harness.rejections == [1])
        #expect(harness.state.name == "backoff")
        harness.token(2)
        #expect(harness.dials.map(\.generation) == [1, 2])
    }

    /// An upgrade that was refused by a rule of the profile.
    private static func refusal(_ status: Int, by rule: DecidingRule) -> FeedInput {
        let response = WireResponse(status: status)
        let evidence = ResponseEvidence(response, decidedBy: rule, hiding: .none)
        let refusal = FeedRefused(socket: 1, status: status, evidence: evidence)
        return .refused(refusal, retryAfter: nil)
    }

    @Test(
        "what no renewal answers forces none, and the feed stops until the next login",
        arguments: [
            DecidingRule.notExpiredError("insufficient_user_authentication"),
            .notRenewable(RuleCondition(statuses: [401])),
        ]
    )
    func notRenewable(rule: DecidingRule) {
        let harness = FeedHarness()
        harness.token(1)
        harness.send(Self.refusal(401, by: rule))
        #expect(harness.rejections.isEmpty)
        #expect(harness.state.name == "stopped")
        // The healthy twin.
        let twin = FeedHarness()
        twin.token(1)
        twin.send(Self.refusal(401, by: .status))
        #expect(twin.rejections == [1])
    }

    @Test("a refusal by a rule of the profile forces a renewal, whatever its status")
    func byRule() {
        let harness = FeedHarness()
        harness.token(1)
        harness.send(Self.refusal(400, by: .refused(RuleCondition(statuses: [400]))))
        #expect(harness.rejections == [1])
        #expect(harness.state.name == "backoff")
    }

    @Test("refused again with the new token: refused, asked again after 30, 60, 120, 300, 300 s")
    func refused() {
        let harness = FeedHarness()
        harness.token(1)
        harness.send(.refused(socket: 1, status: 403, retryAfter: nil))
        harness.token(2)
        var waits: [Double] = []
        for socket in 2...6 {
            harness.send(.refused(socket: socket, status: 403, retryAfter: nil))
            #expect(harness.state.name == "refused")
            waits.append(harness.waitsFor ?? 0)
            harness.advance(waits.last ?? 0)
        }
        #expect(waits == [30, 60, 120, 300, 300])
        #expect(harness.rejections == [1])
    }

    @Test("each new token ends the wait after a refusal, and forces no renewal of its own")
    func refusedAndRotations() {
        let harness = FeedHarness()
        harness.token(1)
        harness.send(.refused(socket: 1, status: 403, retryAfter: nil))
        for generation in 2...6 {
            harness.token(generation)
            #expect(harness.dials.last?.generation == generation)
            harness.send(.refused(socket: generation, status: 403, retryAfter: nil))
            #expect(harness.state.name == "refused")
            harness.advance(5)
        }
        #expect(harness.dials.count == 6)
        #expect(harness.rejections == [1])
    }

    @Test("a token that was refused before does not end the wait")
    func sameToken() {
        let harness = FeedHarness()
        harness.token(1)
        harness.send(.refused(socket: 1, status: 403, retryAfter: nil))
        harness.token(2)
        harness.send(.refused(socket: 2, status: 403, retryAfter: nil))
        harness.token(2)
        #expect(harness.dials.count == 2)
    }

    @Test("without a renewal, the feed dials again after a while")
    func noRenewal() {
        let harness = FeedHarness()
        harness.token(1)
        harness.send(.refused(socket: 1, status: 401, retryAfter: nil))
        harness.advance(30)
        #expect(harness.dials.count == 2)
        harness.send(.refused(socket: 2, status: 401, retryAfter: nil))
        #expect(harness.rejections == [1])
        #expect(harness.state.name == "refused")
    }

    @Test(
        "closed because of the token: the same as a refused upgrade",
        arguments: [1008, 3000, 3003, 4001, 4003, 4401, 4403]
    )
    func closed(code: Int) {
        let harness = FeedHarness.open()
        harness.advance(10)
        harness.close(1, code: code)
        #expect(harness.rejections == [1])
        harness.token(2)
        #expect(harness.dials.map(\.generation) == [1, 2])
    }

    @Test(
        "ended within milliseconds of its opening or its first message: the same, whatever the code",
        arguments: [1000, 1005, 1015, 4000, 4999],
        [0, 3.0]
    )
    func endedAtOnce(code: Int, silence: Double) {
        let harness = FeedHarness.open()
        harness.control(1, on: 1)
        harness.advance(silence)
        if silence > 0 { harness.text("invalid token", on: 1) }
        harness.advance(0.005)
        harness.close(1, code: code)
        #expect(harness.rejections == [1])
        harness.token(2)
        #expect(harness.dials.count == 1)
        #expect(harness.state.name == "backoff")
        harness.advance(1)
        #expect(harness.dials.map(\.generation) == [1, 2])
        harness.send(.opened(socket: 2))
        harness.text("invalid token", on: 2)
        harness.close(2, code: code)
        #expect(harness.state.name == "refused")
        #expect(harness.waitsFor == 30)
        #expect(harness.rejections == [1])
    }

    @Test("a server that answers each dial so is dialed with one token three times in a minute")
    func dialsWithOneToken() {
        let harness = FeedHarness()
        harness.token(1)
        var answered = 0
        for _ in 0..<6000 {
            if let dial = harness.dials.last, harness.dials.count > answered {
                answered += 1
                harness.send(.opened(socket: dial.socket))
                harness.text("invalid token", on: dial.socket)
                harness.close(dial.socket, code: 1000)
            }
            harness.advance(0.01)
        }
        #expect(harness.dials.count <= 3)
    }

    @Test(
        "a code that gives another reason is no refusal, but waits for a second",
        arguments: [1001, 1011, 1012, 1014, 4409]
    )
    func explained(code: Int) {
        let harness = FeedHarness.open()
        harness.text("hello", on: 1)
        harness.close(1, code: code)
        #expect(harness.rejections.isEmpty)
        #expect(harness.waitsFor == 1)
    }

    @Test("a cut right after the opening is a refusal if it comes twice")
    func cuts() {
        let harness = FeedHarness.open()
        harness.close(1, code: 1006, by: .transport)
        #expect(harness.rejections.isEmpty)
        #expect(harness.waitsFor == 1)
        harness.advance(1)
        harness.send(.opened(socket: 2))
        harness.close(2, code: 1006, by: .transport)
        #expect(harness.rejections == [1])
    }

    @Test("a cut right after one or two messages is a refusal if it comes twice", arguments: 1...2)
    func cutAfterMessage(messages: Int) {
        let harness = FeedHarness.open()
        for socket in 1...2 {
            #expect(harness.rejections.isEmpty)
            for number in 1...messages { harness.text("message \(number)", on: socket) }
            harness.advance(0.2)
            harness.close(socket, code: 1006, by: .transport)
            guard socket == 1 else { continue }
            #expect(harness.waitsFor == 1)
            harness.advance(1)
            harness.send(.opened(socket: 2))
        }
        #expect(harness.rejections == [1])
        harness.token(2)
        #expect(harness.dials.count == 2)
        harness.advance(1)
        #expect(harness.dials.map(\.generation) == [1, 1, 2])
    }

    @Test(
        "a cut some time after the last message, or of a socket that has lived, is none",
        arguments: [(0, 2.0), (6, 0), (15, 0)]
    )
    func idleCut(life: Double, silence: Double) {
        let harness = FeedHarness.open()
        for socket in 1...3 {
            harness.advance(life)
            harness.text("news", on: socket)
            harness.advance(silence)
            harness.close(socket, code: 1006, by: .transport)
            harness.advance(20)
            harness.send(.opened(socket: socket + 1))
        }
        #expect(harness.rejections.isEmpty)
    }

    @Test("an end after three messages is none, however it comes", arguments: [1000, 1006])
    func carriedMessages(code: Int) {
        let harness = FeedHarness.open()
        for number in 1...3 { harness.text("news \(number)", on: 1) }
        harness.close(1, code: code, by: code == 1006 ? .transport : .peer)
        #expect(harness.rejections.isEmpty)
        #expect((harness.waitsFor ?? 99) <= 0.5)
    }

    @Test("a socket that was open for some seconds may end right after its first message")
    func firstMessageLate() {
        let harness = FeedHarness.open()
        harness.advance(6)
        harness.text("news", on: 1)
        harness.close(1, code: 1000)
        #expect(harness.rejections.isEmpty)
        #expect(harness.waitsFor == 0)
    }

    @Test("a stream that ends after each event is no refusal: that would have a status")
    func shortStream() {
        let harness = FeedHarness(carrier: .eventStream(silenceLimit: nil))
        harness.token(1)
        harness.send(.opened(socket: 1))
        harness.text("event", on: 1)
        harness.close(1, code: 1005)
        #expect(harness.rejections.isEmpty)
        #expect(harness.waitsFor == 1)
    }

    @Test("the end of the old socket does not shorten the wait after the refusal of the new one")
    func oldEndsMeanwhile() {
        let harness = FeedHarness.open()
        harness.advance(10)
        harness.token(2)
        harness.send(.opened(socket: 2))
        harness.close(2, code: 1011)
        harness.close(1, code: 1000)
        #expect(harness.dials.count == 2)
        #expect(harness.state.name == "backoff")
        harness.advance(1)
        #expect(harness.dials.map(\.generation) == [1, 2, 2])
    }

    @Test("a server that accepts every token and closes at once forces one renewal, not one each")
    func acceptsThenCloses() {
        let harness = FeedHarness()
        for generation in 1...20 {
            harness.token(generation)
            if let socket = harness.dials.last?.socket, socket == harness.dials.count {
                harness.send(.opened(socket: socket))
                harness.close(socket, code: 4401)
            }
            harness.advance(1)
        }
        #expect(harness.rejections == [1])
        #expect(harness.dials.map(\.generation) == Array(1...20))
    }

    @Test("a token that was good for a while may be renewed for when it is refused later")
    func provedGood() {
        let harness = FeedHarness()
        harness.token(1)
        harness.send(.refused(socket: 1, status: 403, retryAfter: nil))
        harness.token(2)
        harness.send(.opened(socket: 2))
        harness.advance(10)
        harness.close(2, code: 4401)
        #expect(harness.rejections == [1, 2])
    }

    @Test("a switch whose new socket is refused keeps the old one, and is tried again")
    func refusedSwitch() {
        let harness = FeedHarness.open()
        harness.message(1, on: 1)
        harness.advance(10)
        harness.token(2)
        harness.send(.refused(socket: 2, status: 403, retryAfter: nil))
        #expect(harness.state.name == "open")
        #expect(harness.rejections == [2])
        harness.token(3)
        #expect(harness.dials.map(\.generation) == [1, 2, 3])
        harness.send(.refused(socket: 3, status: 403, retryAfter: nil))
        #expect(harness.rejections == [2])
        harness.message(2, on: 1)
        harness.advance(15)
        harness.message(3, on: 1)
        harness.advance(15)
        #expect(harness.dials.count == 4)
        #expect(harness.applied == ["1", "2", "3"])
    }

    @Test(
        "the end of the old socket does not shorten the wait for the new one",
        arguments: [4401, 4409, 1006, 1011]
    )
    func waitsForBoth(code: Int) {
        let harness = FeedHarness.open()
        harness.advance(10)
        harness.token(2)
        harness.send(.refused(socket: 2, status: 503, retryAfter: 60))
        harness.advance(1)
        harness.close(1, code: code)
        #expect(harness.waitsFor == 59)
        harness.advance(58)
        #expect(harness.dials.map(\.generation) == [1, 2])
        harness.advance(1)
        #expect(harness.dials.map(\.generation) == [1, 2, 2])
    }
}
