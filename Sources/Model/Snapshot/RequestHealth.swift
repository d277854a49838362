package import Basics

/// Whether the profile's request gets what it asks for, regardless of the state of the tokens.
///
/// A request that was refused and then repeated with a newer token is one request, with the result
/// of the repetition.
package struct RequestHealth: Sendable, Equatable {
    /// A time in which requests are refused or fail, with what succeeded meanwhile.
    package struct FailurePeriod: Sendable, Equatable {
        /// When the first of them ended.
        package let since: Moment
        /// The number of those that were refused or failed, and of all since then.
        package fileprivate(set) var failed = 0
        package fileprivate(set) var sent = 0
        /// The number of those in a row that succeeded last.
        package fileprivate(set) var goodInARow = 0
        /// The last that was refused or failed.
        package fileprivate(set) var last: Exchange {
            get { newest.value }
            set { newest = Shared(newValue) }
        }
        private var newest: Shared<Exchange>

        fileprivate init(since: Moment, last: Exchange) {
            self.since = since
            newest = Shared(last)
        }

        /// Whether the last request succeeded.
        package var isOver: Bool { goodInARow > 0 }
    }

    /// As many successes in a row end such a time.
    private static let successes = 5

    /// When the last request succeeded, or `nil` if none of the session did.
    package private(set) var lastGoodAt: Moment?
    /// How one token is accepted and refused.
    package private(set) var acceptances = AcceptancePattern()
    /// The last request of the session whose token was refused.
    package private(set) var lastRefusal: Exchange? {
        get { refusal?.value }
        set { refusal = newValue.map(Shared.init) }
    }
    private var refusal: Shared<Exchange>?
    private var current: FailurePeriod?
    private var login = 0

    init() {}

    /// The failures that the user has to know of, or `nil` if a single one was followed by a success,
    /// or there is none.
    package var failurePeriod: FailurePeriod? {
        guard let current, !current.isOver || current.failed > 1 else { return nil }
        return current
    }

    mutating func update(_ exchange: Exchange, login: Int, at moment: Moment) {
        acceptances.observe(exchange, login: login)
        guard exchange.purpose == .protected, exchange.why.isOfProfile,
            let acceptance = exchange.tokenAcceptance
        else { return }
        if login != self.login {
            self.login = login
            lastGoodAt = nil
            lastRefusal = nil
            current = nil
        }
        // The repetition takes the place of the request that was counted.
        if exchange.retryOf != nil, current?.last.id == exchange.retryOf {
            current?.failed -= 1
            current?.sent -= 1
        }
        if acceptance == .accepted { succeed(at: moment) } else { fail(exchange, at: moment) }
    }

    private mutating func succeed(at moment: Moment) {
        lastGoodAt = moment
        guard var period = current else { return }
        period.sent += 1
        period.goodInARow += 1
        let isOver = period.failed == 0 || period.goodInARow >= Self.successes
        current = isOver ? nil : period
    }

    private mutating func fail(_ exchange: Exchange, at moment: Moment) {
        var period = current ?? FailurePeriod(since: moment, last: exchange)
        period.failed += 1
        period.sent += 1
        period.goodInARow = 0
        var last = exchange
        last.evidence = nil
        period.last = last
        if exchange.tokenAcceptance == .refused { lastRefusal = last }
        current = period
    }
}
