import Basics
import Model

extension ObservedTraffic {
    /// The longest time between a redirection and the request that follows it, in seconds.
    private static let followingTime = 5.0
    private static let redirectionLimit = 8
    private static let readableDepth = 512

    /// The exchange whose redirection a request follows, or `nil` if it follows none.
    func redirection(before exchange: ObservedExchange) -> ObservedExchange? {
        guard let source = exchange.request.redirectedFrom.flatMap({ self.exchange($0) }),
            source.client == exchange.client, let end = source.endedAt?.now,
            (0...Self.followingTime).contains(exchange.startedAt.now.seconds(since: end))
        else { return nil }
        return source
    }

    /// Whether a request only follows the redirection of a refused one to a page for signing in, with the
    /// same token: its answer does not accept that.
    func followsRefusal(_ exchange: ObservedExchange) -> Bool {
        guard let access = exchange.access?.fingerprint else { return false }
        var source = redirection(before: exchange)
        for _ in 0..<Self.redirectionLimit {
            guard let earlier = source else { return false }
            if earlier.outcome == .tokenRefused {
                return earlier.access?.fingerprint == access
                    && earlier.request.endpoint != exchange.request.endpoint
            }
            source = redirection(before: earlier)
        }
        return false
    }

    /// An answer of the same backend that a page of another origin could read, if it cannot read that of an
    /// exchange, whose status it does not learn then; `nil` if it can.
    func readableAnswer(besides exchange: ObservedExchange) -> ObservedExchange? {
        guard exchange.answer?.isReadable == false, exchange.answer?.corsAddedFor == nil else {
            return nil
        }
        return newest(Self.readableDepth) { other in
            other.answer?.isReadable == true && other.client == exchange.client
                && other.request.origin == exchange.request.origin
                && other.purpose != .preflight
        }
    }
}
