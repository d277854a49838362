package import Basics
package import Profiles

/// What happened to the feed.
///
/// A socket is numbered from 1 over the run.
package enum FeedEvent: Sendable, Hashable, Codable {
    /// `target` has the token replaced by its fingerprint.
    case dialing(socket: Int, generation: Int, target: String)
    case opened(socket: Int, generation: Int, after: Duration)
    /// The new socket is primary; `gap` messages are missing between the two.
    case switched(from: Int, to: Int, duplicates: Int, gap: Int, after: Duration)
    case closed(socket: Int, code: Int, by: FeedCloser, reason: String)
    /// The upgrade was answered with this status, and looked like this.
    case refused(socket: Int, status: Int, evidence: ResponseEvidence? = nil)
    /// No upgrade answer at all.
    case failed(socket: Int, why: FeedCause)
    /// `isDuplicate`: it was seen before and is not applied again.
    case message(
        socket: Int,
        id: String?,
        seq: Int64?,
        type: String?,
        excerpt: String,
        isDuplicate: Bool
    )
    /// Messages of an open socket are missing, by their numbers: those between two that came.
    case missing(socket: Int, after: Int64, before: Int64)
    /// A frame of the protocol, such as a greeting, which is no message and is not counted as one.
    case control(socket: Int, type: String?, excerpt: String)
    /// `traffic`: what has come compressed so far, if messages are.
    case ping(socket: Int, roundTrip: Duration, traffic: FeedTraffic? = nil)
    case stateChanged(FeedState)
    /// Frames still arrive on a socket after logout.
    case receivesAfterLogout(socket: Int)
}

/// The compressed messages of a socket so far, in bytes.
package struct FeedTraffic: Sendable, Hashable, Codable {
    /// As they came.
    package var received: Int
    /// What they contained.
    package var content: Int

    package init(received: Int, content: Int) {
        self.received = received
        self.content = content
    }
}

package enum FeedCloser: String, Sendable, Hashable, Codable, CaseIterable {
    case us
    case peer
    case transport
}

/// The state of the feed.
package enum FeedState: Sendable, Hashable, Codable {
    /// There is no session, or the dialect has no feed.
    case idle
    case dialing(socket: Int, generation: Int)
    case open(socket: Int, generation: Int, since: Instant)
    /// The new socket is being opened while the old one still serves.
    case rotating(old: Int, new: Int, generation: Int)
    /// Closed or unreachable; dialed again at `nextAt`.
    case backoff(attempt: Int, nextAt: Instant, why: FeedCause)
    /// Refused with a fresh token, or closed at once; dialed again at `nextAt`. `status` is that of
    /// the upgrade or, from 1000 on, the close code.
    case refused(status: Int, nextAt: Instant)
    case stopped(why: FeedCause)
}
