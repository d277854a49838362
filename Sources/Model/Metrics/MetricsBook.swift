import Basics

/// What a monitor can read of all sessions of a run: a pure fold of their events.
///
/// Counts are kept for each profile, and what a session is like now for each session, so that a
/// reading has as many rows as there are profiles, however many sessions there are.
package struct MetricsBook: Sendable, Equatable {
    /// The number of profiles that are counted apart; the sessions of others are counted together.
    package static let profileLimit = 100
    /// The name under which they are counted.
    package static let otherProfiles = "other"
    /// The number of findings whose repetitions are told from new ones.
    private static let findingLimit = 4_096

    private(set) var profiles: [ProfileMetrics] = []
    private(set) var sessions: [SessionID: MonitoredSession] = [:]
    /// The number of sessions that are counted under `otherProfiles`.
    private(set) var unlistedSessions = 0
    /// The number of events that came too fast to be taken in.
    var droppedEvents = 0
    private var places: [String: Int] = [:]
    /// How often each finding has happened, by its number.
    private var findingCounts: [Int: Int] = [:]

    /// - Parameter sessions: The sessions that are known before their first event.
    package init(watching sessions: [(id: SessionID, profile: String)] = []) {
        for session in sessions { add(session.id, of: session.profile) }
    }

    /// Takes one event in; the events of a session come in the order in which they happened.
    package mutating func apply(_ event: SessionEvent) {
        guard !type(of: event.kind).forgetsSession else {
            return forget(event.session, at: event.moment)
        }
        event.kind.apply(to: &self, in: event)
    }

    /// Changes what is known of the session of an event, and of its profile.
    mutating func update(
        _ event: SessionEvent,
        _ change: (inout MonitoredSession, inout ProfileMetrics) -> Void
    ) {
        add(event.session, of: event.profile)
        guard var session = sessions[event.session] else { return }
        change(&session, &profiles[session.profile])
        sessions[event.session] = session
    }

    /// Returns how often a finding has happened since it was reported last.
    mutating func occurrences(of finding: ObservedFinding) -> Int {
        let before = findingCounts[finding.number] ?? 0
        if findingCounts.count >= Self.findingLimit, before == 0 {
            findingCounts.keys.min().map { findingCounts[$0] = nil }
        }
        findingCounts[finding.number] = finding.count
        return max(0, finding.count - before)
    }

    private mutating func add(_ id: SessionID, of profile: String) {
        guard sessions.index(forKey: id) == nil else { return }
        sessions[id] = MonitoredSession(profile: place(of: profile))
    }

    private mutating func place(of profile: String) -> Int {
        if let place = places[profile] { return place }
        guard profiles.count >= Self.profileLimit else { return list(profile) }
        unlistedSessions += 1
        return places[Self.otherProfiles] ?? list(Self.otherProfiles)
    }

    private mutating func list(_ profile: String) -> Int {
        profiles.append(ProfileMetrics(name: profile))
        places[profile] = profiles.count - 1
        return profiles.count - 1
    }

    private mutating func forget(_ id: SessionID, at moment: Moment) {
        guard let session = sessions.removeValue(forKey: id), !session.isObserved else { return }
        profiles[session.profile].timeWithoutToken += session.timeWithoutToken.seconds(
            at: moment.now
        )
    }
}
