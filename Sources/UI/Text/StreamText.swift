import Model
import Profiles

/// The words for a feed that is an event stream, which has no upgrade and no close codes.
enum StreamText {
    /// The end of a stream.
    static func ended(code: Int, by closer: FeedCloser) -> String {
        switch (closer, code) {
        case (.us, 1001): "closed by us · nothing came for too long"
        case (.us, 1009): "closed by us · an event is too big"
        case (.us, _): "closed by us"
        case (.peer, _): "ended by the server"
        case (.transport, _): "cut by the network"
        }
    }

    /// Why it is down.
    static func text(_ cause: FeedCause) -> String {
        switch cause {
        case .closed(1001): "nothing came for too long"
        case .closed(1005): "ended by the server"
        case .closed(1006): "cut by the network"
        case .closed(1009): "an event is too big"
        case .closed: "closed"
        case .upgradeRefused(let status): "the stream's request was answered \(status)"
        case .unreachable, .tokenReplaced, .awaitsRenewal, .refusedByMessage, .unanswered,
            .missingCapture, .unusableHeader:
            CauseText().text(cause)
        }
    }

    /// Why it is not opened again.
    static func text(stopping cause: FeedCause) -> String {
        switch cause {
        case .upgradeRefused(204): "\(text(cause)): the server wants it closed"
        case .upgradeRefused(300..<400): "\(text(cause)): a redirect is not followed"
        case .upgradeRefused(401), .upgradeRefused(403):
            "\(text(cause)): no renewal helps, log in again"
        case .upgradeRefused: "\(text(cause)): check the feed's path"
        case .closed: "\(text(cause)): dialing again would not help"
        case .unreachable, .tokenReplaced, .awaitsRenewal, .refusedByMessage, .unanswered,
            .missingCapture, .unusableHeader:
            CauseText().text(stopping: cause)
        }
    }
}

extension ViewModel {
    /// Whether the session's feed is an event stream.
    var hasEventStream: Bool { session.capabilities?.feedKind == .eventStream }
}
