import Client
import Model
import Testing

@Suite("FeedPolicy: what follows the end of a socket")
struct FeedPolicyTests {
    @Test(
        "a close after which the feed is dialed again",
        arguments: [1000, 1001, 1005, 1006, 1011, 1012, 1014, 4000, 4499, 4999]
    )
    func backoff(code: Int) {
        #expect(FeedPolicy.verdict(code: code) == .backoff(atLeast: 0))
    }

    @Test("a close that requests a longer wait", arguments: [1013, 4429])
    func timeout(code: Int) {
        #expect(FeedPolicy.verdict(code: code) == .backoff(atLeast: 5))
    }

    @Test("a close that refuses the token", arguments: [1008, 3000, 3003, 4001, 4003, 4401, 4403])
    func rejection(code: Int) {
        #expect(FeedPolicy.verdict(code: code) == .tokenRejected)
    }

    @Test(
        "a close after which dialing would not help",
        arguments: [1002, 1003, 1007, 1009, 1010, 4400, 4406]
    )
    func stop(code: Int) {
        #expect(FeedPolicy.verdict(code: code) == .stop)
    }

    @Test("a close of ours is no reason to stop", arguments: [1001, 1002, 1007, 1009])
    func ours(code: Int) {
        #expect(FeedPolicy.verdict(code: code, by: .us) == .backoff(atLeast: 0))
    }

    @Test("a server that allows one socket only says 4409")
    func oneSocket() {
        #expect(FeedPolicy.verdict(code: 4409) == .oneSocketOnly)
    }

    @Test("an upgrade that refuses the token", arguments: [401, 403])
    func refusedUpgrade(status: Int) {
        #expect(FeedPolicy.verdict(status: status) == .tokenRejected)
    }

    @Test(
        "an upgrade that points at a wrong address",
        arguments: [301, 302, 307, 308, 400, 404, 405, 426]
    )
    func wrongAddress(status: Int) {
        #expect(FeedPolicy.verdict(status: status) == .stop)
    }

    @Test("an upgrade that cannot be had now", arguments: [200, 408, 429, 500, 502, 503])
    func notNow(status: Int) {
        #expect(FeedPolicy.verdict(status: status) == .backoff(atLeast: 0))
    }
}
