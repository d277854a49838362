package import Basics

extension MetricsBook {
    /// A profile without a session that can be used, with the state of one of its sessions.
    package struct UnreadyProfile: Sendable, Equatable {
        package let name: String
        package let state: SessionState
        package let sessions: Int
    }

    /// Returns the profiles none of whose sessions has an access token that may be used.
    ///
    /// The sessions of apps do not count: whether they are used is up to the apps.
    package func unreadyProfiles(at moment: Moment) -> [UnreadyProfile] {
        let own = sessions.filter { !$0.value.isObserved }
        let ready = Set(own.values.filter { $0.isUsable(at: moment.now) }.map(\.profile))
        return Dictionary(grouping: own, by: \.value.profile)
            .filter { !ready.contains($0.key) }
            .sorted { $0.key < $1.key }
            .compactMap { place, sessions in
                sessions.min { $0.key < $1.key }.map { first in
                    UnreadyProfile(
                        name: profiles[place].name,
                        state: first.value.state,
                        sessions: sessions.count
                    )
                }
            }
    }
}
