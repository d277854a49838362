import Timekeeping
import Tokens

/// Somebody who waits for a token.
struct Waiter: Sendable, Hashable {
    enum Purpose: Sendable, Hashable {
        case caller(Int)
        /// A protected request that has yet to be sent, or sent again.
        case request(Int)
    }

    let purpose: Purpose
    let deadline: Instant
    /// This one will not do: it was refused.
    var refused: AccessToken?
}

/// A protected request between its start and its end.
struct RequestProgress: Sendable, Hashable {
    let id: Int
    let call: ProtectedCall
    let why: String
    let deadline: Instant
    var sends = 0
    var generation = 0
    /// What the last send carried: generations of two logins may have the same number.
    var token: AccessToken?
    /// The log's number of the last send.
    var record = 0
    var refusedRecord: Int?
    var refusedStatus: Int?
}
