import Backend

/// The state of a sandbox, for tests and users to compare a client with.
///
/// It contains fingerprints, never tokens. All times are in seconds since 1970.
struct SandboxState: Sendable, Hashable, Codable {
    var backend: BackendState
    var feeds: [SandboxFeedState]
    /// The open sockets and the latest closed ones, the oldest first.
    var sockets: [FeedSocketState]
    /// The number of times each fault has fired, by name.
    var faultsFired: [String: Int]
}

/// The position of one user's feed.
struct SandboxFeedState: Sendable, Hashable, Codable {
    var dialect: String
    var user: Int
    /// When the user's first socket opened.
    var startedAt: Double
    /// The number of the last message that is due.
    var latest: Int64
}

/// One socket of a feed, open or closed.
struct FeedSocketState: Sendable, Hashable, Codable {
    enum Closer: String, Sendable, Hashable, Codable {
        case client
        case server
        /// The transport ended without a close frame.
        case transport
    }

    var id: Int
    var dialect: String
    var user: Int
    var family: Int
    /// The generation of the access token that opened it, or that it was told last.
    var generation: Int
    var openedAt: Double
    /// The numbers of the messages written to it, in runs of consecutive numbers; a message that a
    /// fault sends twice is listed once.
    ///
    /// Messages written after the client sent its close frame are included; a client that reads
    /// until the server's close frame receives them.
    var sent: [SeqRun]
    var closedAt: Double?
    /// The code of the close frame, or 1006 if there was none.
    var closeCode: UInt16?
    var closedBy: Closer?
    var closeReason: String?
}

/// Consecutive message numbers.
struct SeqRun: Sendable, Hashable, Codable {
    var first: Int64
    var last: Int64
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
