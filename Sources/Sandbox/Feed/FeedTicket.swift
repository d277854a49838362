import Backend

/// What a feed's upgrade was granted for.
struct FeedTicket: Sendable {
    enum Admission: Sendable {
        case open(AccessGrant, since: Int64?)
        /// Upgraded only to be told this.
        case closed(FeedClose)
    }

    let dialect: String
    let admission: Admission
    /// The one to choose of those the client offered.
    let subprotocol: String?
}
