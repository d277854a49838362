import Dialects
import Sessions

extension FeedRequest {
    static let plain = FeedRequest(target: "/ws", shownTarget: "/ws")
}

extension FeedDialOutcome {
    var connection: (any FeedConnection)? {
        if case .opened(let connection) = self { return connection }
        return nil
    }

    var refusal: (status: Int, retryAfter: RetryAfter?)? {
        if case .refused(let status, let retryAfter) = self { return (status, retryAfter) }
        return nil
    }

    var failure: String? {
        if case .failed(let message) = self { return message }
        return nil
    }
}
