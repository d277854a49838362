import Client
import Model

@testable import Profiles

extension FeedRequest {
    static let plain = FeedRequest(target: "/ws", shownTarget: "/ws")
}

extension FeedDialOutcome {
    var connection: (any FeedConnection)? {
        if case .opened(let connection) = self { return connection }
        return nil
    }

    var refusal: WireResponse? {
        if case .refused(let response) = self { return response }
        return nil
    }

    var failure: String? {
        if case .failed(let message) = self { return message }
        return nil
    }
}
