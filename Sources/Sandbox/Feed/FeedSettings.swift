/// How the feed behaves, for every dialect.
package struct FeedSettings: Sendable, Hashable {
    /// What a dial with a token that opens nothing is told.
    package enum Refusal: Sendable, Hashable {
        /// 403 in place of the upgrade, as ASGI servers do it.
        case forbidden
        /// The upgrade, and then a close frame with this code.
        case close(code: UInt16)
    }

    /// What happens to an open socket when its token expires.
    package enum Expiry: Sendable, Hashable {
        case ignore
        case close(code: UInt16)
    }

    /// Messages a second, for each user; with 0 the feed is silent.
    package var rate: Double
    package var refusal: Refusal
    package var expiry: Expiry
    /// A socket that stays more than so many messages behind is closed with 1013.
    package var maximumLag: Int64

    package init(
        rate: Double = 10,
        refusal: Refusal = .forbidden,
        expiry: Expiry = .ignore,
        maximumLag: Int64 = 1000
    ) {
        self.rate = rate
        self.refusal = refusal
        self.expiry = expiry
        self.maximumLag = maximumLag
    }
}
