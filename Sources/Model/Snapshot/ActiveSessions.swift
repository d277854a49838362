package import Basics
package import Profiles

/// The user's sessions, according to the backend's last list.
package struct ActiveSessions: Sendable, Equatable {
    /// `nil` before the first list of a session.
    package private(set) var list: [ListedSession]?
    /// When the list came.
    package private(set) var listedAt: Moment?
    /// Why the last request failed.
    package private(set) var problem: SessionListFailure?

    mutating func apply(_ news: SessionListUpdate, at moment: Moment) {
        problem = nil
        switch news {
        case .listed(let sessions):
            list = sessions
            listedAt = moment
        case .ended(let id): list?.removeAll { $0.id == id }
        case .failed(let failure): problem = failure
        }
    }
}
