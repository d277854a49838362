import Basics
import Profiles
import Testing

@testable import Client

@Suite("FeedTalk: what is said, and what has to come")
struct FeedTalkTests {
    /// A token on the opening, a subscription after its acceptance, heartbeats with an answer, and the
    /// pings of the server.
    private static let script = FeedScript(
        says: [
            FeedSay("{access}", on: .opening),
            FeedSay("subscribe {n}", on: .after(0)),
            FeedSay("beat {n}", on: .interval(30), answer: 2, limit: 10),
            FeedSay("{access}", on: .renewal),
            FeedSay("pong", on: .after(3)),
        ],
        expectations: [
            FeedExpectation("ready", means: .accepted, limit: 5),
            FeedExpectation("subscribed", means: .accepted, limit: 8),
            FeedExpectation("heartbeat"),
            FeedExpectation("ping", every: 45),
            FeedExpectation("refused", means: .refused),
        ]
    )

    /// What happens, and the seconds after the dial at which it does.
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let inputs: [(Double, FeedTalk.Input)]
        /// The actions that follow from the last input.
        let actions: [FeedTalk.Action]
    }

    private static let accepted: [(Double, FeedTalk.Input)] = [
        (0, .opened), (1, .met([0])), (2, .met([1])),
    ]

    private static let cases = [
        Case(
            testDescription: "the opening",
            inputs: [(0, .opened)],
            actions: [.say([FeedSaying(say: 0)])]
        ),
        Case(
            testDescription: "the first of two acceptances",
            inputs: [(0, .opened), (1, .met([0]))],
            actions: [.say([FeedSaying(say: 1, number: 1)])]
        ),
        Case(testDescription: "the second one", inputs: accepted, actions: [.accept]),
        Case(
            testDescription: "both at once",
            inputs: [(0, .opened), (1, .met([0, 1]))],
            actions: [.say([FeedSaying(say: 1, number: 1)]), .accept]
        ),
        Case(
            testDescription: "no acceptance in time",
            inputs: [(0, .opened), (5, .tick(isRead: true))],
            actions: [.giveUp(name: "ready", seconds: 5)]
        ),
        Case(
            testDescription: "the second one is late",
            inputs: [(0, .opened), (1, .met([0])), (8, .tick(isRead: true))],
            actions: [.giveUp(name: "subscribed", seconds: 8)]
        ),
        Case(
            testDescription: "an acceptance that comes again",
            inputs: accepted + [(3, .met([0]))],
            actions: [.say([FeedSaying(say: 1, number: 2)])]
        ),
        Case(
            testDescription: "a heartbeat that is due",
            inputs: accepted + [(32, .tick(isRead: true))],
            actions: [.say([FeedSaying(say: 2, number: 2)])]
        ),
        Case(
            testDescription: "a heartbeat that is not due",
            inputs: accepted + [(31, .tick(isRead: true))],
            actions: []
        ),
        Case(
            testDescription: "a heartbeat that is answered",
            inputs: accepted + [
                (32, .tick(isRead: true)), (33, .met([2])), (42, .tick(isRead: true)),
            ],
            actions: []
        ),
        Case(
            testDescription: "a heartbeat that is not answered",
            inputs: accepted + [(32, .tick(isRead: true)), (42, .tick(isRead: true))],
            actions: [.giveUp(name: "heartbeat", seconds: 10)]
        ),
        Case(
            testDescription: "a heartbeat of a socket that is not read",
            inputs: accepted + [(32, .tick(isRead: false)), (62, .tick(isRead: false))],
            actions: [.say([FeedSaying(say: 2, number: 3)])]
        ),
        Case(
            testDescription: "an answer that may still be unread",
            inputs: accepted + [
                (32, .tick(isRead: true)), (50, .readAgain), (59, .tick(isRead: true)),
            ],
            actions: []
        ),
        Case(
            testDescription: "a ping of the server",
            inputs: accepted + [(20, .met([3]))],
            actions: [.say([FeedSaying(say: 4)])]
        ),
        Case(
            testDescription: "no ping of the server",
            inputs: accepted + [
                (32, .tick(isRead: true)), (33, .met([2])), (47, .tick(isRead: true)),
            ],
            actions: [.giveUp(name: "ping", seconds: 45)]
        ),
        Case(
            testDescription: "a renewal",
            inputs: accepted + [(20, .renewed)],
            actions: [.say([FeedSaying(say: 3)])]
        ),
        Case(
            testDescription: "a refusal in place of an acceptance",
            inputs: [(0, .opened), (1, .met([4]))],
            actions: [.refuse]
        ),
        Case(
            testDescription: "a refusal of an accepted socket",
            inputs: accepted + [(60, .met([3, 4]))],
            actions: [.refuse]
        ),
        Case(
            testDescription: "an expectation that the script does not have",
            inputs: accepted + [(3, .met([9]))],
            actions: []
        ),
    ]

    @Test("follows from what has happened", arguments: cases)
    func actions(of example: Case) {
        var talk = FeedTalk(Self.script)
        var last: [FeedTalk.Action] = []
        for (seconds, input) in example.inputs {
            last = talk.take(input, at: .origin.advanced(bySeconds: seconds))
        }
        #expect(last == example.actions)
    }

    @Test("is nothing on a feed without a script, which is accepted as it opens")
    func silent() {
        var talk = FeedTalk(.silent)
        #expect(talk.take(.opened, at: .origin) == [.accept])
        #expect(talk.deadline(isRead: true) == nil)
        #expect(talk.take(.renewed, at: .origin) == [])
    }

    @Test("names the instant at which something is due")
    func deadlines() {
        var talk = FeedTalk(Self.script)
        func seconds(isRead: Bool = true) -> Double? {
            talk.deadline(isRead: isRead)?.seconds(since: .origin)
        }
        #expect(seconds() == nil)
        _ = talk.take(.opened, at: .origin)
        #expect(seconds() == 5)
        #expect(seconds(isRead: false) == nil)
        _ = talk.take(.met([0, 1]), at: .origin.advanced(bySeconds: 1))
        #expect(seconds() == 31)
        #expect(seconds(isRead: false) == 31)
    }
}
