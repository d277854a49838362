import Basics
import Model

/// What a notification says, in sentences of our own.
///
/// The names of a session and of its profile are the only parts that may come from elsewhere.
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
        let event = notification.event
        let notified = event.kind as? any NotifiedEvent
        guard let sentence = notified?.notificationText(at: event.moment) else { return nil }
        let name = name(of: event).visibleInOneLine.prefix(nameLimit)
        let more = notification.dropped > 0 ? " (and \(notification.dropped) more)" : ""
        return (namesSession ? "\(name): " : "") + sentence + more
    }

    /// The sessions of an app are numbered; what belongs to none of them has the name of the profile.
    private static func name(of event: SessionEvent) -> String {
        guard type(of: event.kind).isOfApp else { return event.session.description }
        return event.login == 0 ? event.profile : "\(event.profile) session \(event.session)"
    }
}

/// A kind of event that can be notified, beside those that a user names.
private protocol NotifiedEvent: EventKind {
    /// The condition that it fulfills, in a sentence, or `nil` if it fulfills none.
    func notificationText(at moment: Moment) -> String?
}

extension SessionEndsSoon: NotifiedEvent {
    func notificationText(at moment: Moment) -> String? {
        "ends in \(DurationText.text(endsAt.seconds(since: moment.now))), "
            + "and nothing can renew it"
    }
}

extension SignedOut: NotifiedEvent {
    func notificationText(at moment: Moment) -> String? { ReasonText.sentence(reason) }
}

extension ObservedStatus: NotifiedEvent {
    func notificationText(at moment: Moment) -> String? {
        end.map { "the app's session ended: \(ObservedSummary.text($0))" }
    }
}

extension ObservedFinding: NotifiedEvent {
    func notificationText(at moment: Moment) -> String? { "found: \(FindingText.name(self))" }
}
