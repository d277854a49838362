package import Backend

/// What a sandbox knows: what tests and people check a client against.
///
/// No token is in it, only fingerprints. Every instant is in seconds since 1970.
package struct SandboxState: Sendable, Hashable, Codable {
    package var backend: BackendState
    package var feeds: [SandboxFeedState]
    /// The open ones, and the latest of those that are closed; the oldest first.
    package var sockets: [FeedSocketState]
    /// How often each fault has acted, by name.
    package var faultsFired: [String: Int]
}

/// How far one user's feed is.
package struct SandboxFeedState: Sendable, Hashable, Codable {
    package var dialect: String
    package var user: Int
    /// When the user's first socket opened.
    package var startedAt: Double
    /// The number of the last message that is due.
    package var latest: Int64
}

/// One socket of a feed, open or closed.
package struct FeedSocketState: Sendable, Hashable, Codable {
    package enum Closer: String, Sendable, Hashable, Codable {
        case client
        case server
        /// The transport ended without a close frame.
        case transport
    }

    package var id: Int
    package var dialect: String
    package var user: Int
    package var family: Int
    /// Of the access token that opened it.
    package var generation: Int
    package var openedAt: Double
    /// The numbers of the messages written to it, in runs that count up by one; what a fault sends
    /// twice is there once.
    ///
    /// What was written after the client had sent its close frame is among them; a client that
    /// reads on to the server's close frame gets that too.
    package var sent: [SeqRun]
    package var closedAt: Double?
    /// 1006 where no close frame came.
    package var closeCode: UInt16?
    package var closedBy: Closer?
    package var closeReason: String?
}

/// Message numbers that follow each other.
package struct SeqRun: Sendable, Hashable, Codable {
    package var first: Int64
    package var last: Int64

    package init(first: Int64, last: Int64) {
        self.first = first
        self.last = last
    }
}

extension [SeqRun] {
    /// Runs beyond this number replace the oldest: a feed without faults needs one.
    static var limit: Int { 1000 }

    mutating func append(_ seq: Int64) {
        if let last = indices.last, self[last].last + 1 == seq {
            self[last].last = seq
            return
        }
        if count == Self.limit { removeFirst() }
        append(SeqRun(first: seq, last: seq))
    }
}
