/// A condition of a session that can be notified, beside the kinds of events.
package enum NotificationCondition: String, Sendable, Hashable, CaseIterable {
    /// A session that nothing can renew ends soon.
    case sessionEndsSoon
    /// A session ended without the user's doing.
    case sessionEnded
    /// The evidence of a finding allows no other reading, and no experiment caused it.
    case certainFinding
}

/// The events and the conditions that are to be notified in one way.
package struct NotificationRule: Sendable, Hashable {
    /// The length of time before the end of a session at which it ends soon, in seconds, unless the
    /// user says otherwise.
    package static let defaultLead = 300.0

    /// What a rule can name: the conditions, and then every kind of event.
    package static let names =
        NotificationCondition.allCases.map(\.rawValue) + EventKinds.all.map { $0.name }

    /// Of kinds and conditions; one that `names` does not have never comes.
    private let events: Set<String>
    /// The name of the only profile whose sessions count, or `nil` for all.
    private let profile: String?
    /// The length of time before the end of a session at which it ends soon, in seconds.
    let lead: Double

    package init(events: Set<String>, profile: String? = nil, lead: Double = Self.defaultLead) {
        self.events = events
        self.profile = profile
        self.lead = lead
    }

    /// The conditions without a kind of event: what a user who is not looking wants to know.
    package static let standard = NotificationRule(
        events: Set(NotificationCondition.allCases.map(\.rawValue))
    )

    /// Returns whether anything can follow from an event.
    package func concerns(_ event: SessionEvent) -> Bool {
        guard isOfProfile(event) else { return false }
        if names(event) || event.kind.condition.map(watches) ?? false { return true }
        if watches(.sessionEnded), event.kind is ObservedStatus { return true }
        return watches(.sessionEndsSoon) && event.kind.endNews != nil
    }

    func watches(_ condition: NotificationCondition) -> Bool {
        events.contains(condition.rawValue)
    }

    /// Returns whether it names the kind of an event.
    func names(_ event: SessionEvent) -> Bool { events.contains(event.kind.name) }

    func isOfProfile(_ event: SessionEvent) -> Bool {
        profile.map { $0 == event.profile } ?? true
    }
}
