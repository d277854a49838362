package import Backend

/// The state of a sandbox, for tests and users to compare a client with.
///
/// It contains fingerprints, never tokens. All times are in seconds since 1970.
package struct SandboxState: Sendable, Hashable, Codable {
    package var backend: BackendState
    package var feeds: [SandboxFeedState]
    /// The open sockets and the latest closed ones, the oldest first.
    package var sockets: [FeedSocketState]
    /// The number of times each fault has fired, by name.
    package var faultsFired: [String: Int]
}

/// The position of one user's feed.
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
    /// The generation of the access token that opened it.
    package var generation: Int
    package var openedAt: Double
    /// The numbers of the messages written to it, in runs of consecutive numbers; a message that a
    /// fault sends twice is listed once.
    ///
    /// Messages written after the client sent its close frame are included; a client that reads
    /// until the server's close frame receives them.
    package var sent: [SeqRun]
    package var closedAt: Double?
    /// The code of the close frame, or 1006 if there was none.
    package var closeCode: UInt16?
    package var closedBy: Closer?
    package var closeReason: String?
}

/// Consecutive message numbers.
package struct SeqRun: Sendable, Hashable, Codable {
    package var first: Int64
    package var last: Int64

    package init(first: Int64, last: Int64) {
        self.first = first
        self.last = last
    }
}

extension [SeqRun] {
    /// The number of runs above which the oldest are replaced; a feed without faults needs one.
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
