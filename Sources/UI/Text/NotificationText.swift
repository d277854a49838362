import Basics
import Model

/// What a notification says, in sentences of our own.
///
/// The name of a session is the only part that may come from elsewhere.
enum NotificationText {
    /// The most characters of a session's name.
    private static let nameLimit = 40

    /// Returns the text, or `nil` if the event is no condition that a user is told of.
    ///
    /// - Parameters:
    ///   - notification: The notification.
    ///   - namesSession: Whether the text may name the session.
    /// - Returns: Such as `acme: signed out: the backend refused the refresh token`.
    static func text(_ notification: Notification, namesSession: Bool) -> String? {
        guard let sentence = sentence(notification.event) else { return nil }
        let name = notification.event.session.description.visibleInOneLine.prefix(nameLimit)
        let more = notification.dropped > 0 ? " (and \(notification.dropped) more)" : ""
        return (namesSession ? "\(name): " : "") + sentence + more
    }

    private static func sentence(_ event: SessionEvent) -> String? {
        switch event.kind {
        case let soon as SessionEndsSoon:
            "ends in \(DurationText.text(soon.endsAt.seconds(since: event.moment.now))), "
                + "and nothing can renew it"
        case let ended as SignedOut: ReasonText.sentence(ended.reason)
        case let status as ObservedStatus:
            status.end.map { "the app's session ended: \(ObservedSummary.text($0))" }
        case let finding as ObservedFinding: "found: \(FindingText.name(finding))"
        default: nil
        }
    }
}
