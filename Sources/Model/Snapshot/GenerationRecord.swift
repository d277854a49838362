package import Basics

/// One token pair and what it was used for.
package struct GenerationRecord: Sendable, Equatable, LogEntry {
    static let socketLimit = 8

    /// The number of the pair in the run, over all logins.
    package let number: Int
    /// The n-th login of the run.
    package let login: Int
    /// Counts pairs since the login, whose own is 1.
    package let generation: Int
    package internal(set) var pair: PairDescription
    /// When the pair was here.
    package let receivedAt: Moment
    package var requests = 0
    /// The number of them whose token was refused.
    package var refusals = 0
    /// The greatest age of the access token at which a request with it was accepted, in seconds.
    package var acceptedAge: Double?
    /// The smallest age of the access token at which it was refused, in seconds.
    package var refusedAge: Double?
    /// The newest sockets that were opened with it, by number.
    package var sockets: [Int] = []
    /// When a newer pair took its place, or the session ended.
    package var replacedAt: Moment?

    init(
        number: Int,
        login: Int,
        generation: Int,
        pair: PairDescription,
        receivedAt: Moment
    ) {
        self.number = number
        self.login = login
        self.generation = generation
        self.pair = pair
        self.receivedAt = receivedAt
    }
}

/// A refresh token over the generations that share it.
package struct RefreshTokenUse: Sendable, Equatable {
    var fingerprint: Fingerprint
    /// The generation in which it was issued.
    package var since: Int
    /// When that generation was requested.
    package var issuedAt: Moment
    package var timesSent = 0

    init(fingerprint: Fingerprint, since: Int, issuedAt: Moment) {
        self.fingerprint = fingerprint
        self.since = since
        self.issuedAt = issuedAt
    }
}
