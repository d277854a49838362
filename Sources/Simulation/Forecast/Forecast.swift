import Backend
import Basics
import Client
package import Model
package import Profiles

/// The outcome of a policy over the next days, found by running it: the real machine and the real
/// backend on a virtual clock.
package struct Forecast: Sendable, Equatable {
    /// The input of a forecast; the lead is the dialect's by default, and lifetimes are the stored
    /// ones, or else the dialect's.
    package struct Question: Sendable {
        /// The name of the profile.
        var profile: String
        var dialect: Dialect
        var days: Double
        /// Seconds, as all times here.
        var accessLifetime: Double?
        var refreshLifetime: Double?
        /// As the tokens of a stored session have stated.
        var storedLifetimes: [TokenKind: Double]
        var lead: Double?
        /// Between two protected requests.
        var requestEvery: Double
        var faults: [Fault]
        /// The probability that an exchange meets one of the faults.
        var faultRate: Double
        var seed: UInt64
        var limits = Limits()

        package init(
            profile: String? = nil,
            dialect: Dialect,
            days: Double,
            storedLifetimes: [TokenKind: Double] = [:],
            accessLifetime: Double? = nil,
            refreshLifetime: Double? = nil,
            lead: Double? = nil,
            requestEvery: Double = 3_600,
            faults: [Fault] = [],
            faultRate: Double = 0.1,
            seed: UInt64 = 1
        ) {
            self.profile = profile ?? dialect.name
            self.dialect = dialect
            self.storedLifetimes = storedLifetimes
            self.days = days
            self.accessLifetime = accessLifetime
            self.refreshLifetime = refreshLifetime
            self.lead = lead
            self.requestEvery = requestEvery
            self.faults = faults
            self.faultRate = faultRate
            self.seed = seed
        }
    }

    /// What the rows of a forecast may take together: some seconds on a slow machine.
    struct Limits: Sendable {
        /// Of the simulated system.
        var steps = 240_000
        /// New pairs of tokens, which are the most expensive steps.
        var pairs = 12_000
        /// Requests of the client without a timer.
        var requests = 600_000
    }

    /// One client on one backend; counts are limited to the requested days.
    struct Row: Sendable, Equatable {
        var client: Client
        var backend: BackendBehavior
        var renewals = 0
        var failedRenewals = 0
        var requests = 0
        var refusedRequests = 0
        /// Seconds from the login, as all instants here.
        var firstRenewalAt: Double?
        var lastRenewalAt: Double?
        /// When it can no longer be renewed, although its access token is still valid.
        var drainsAt: Double?
        /// When it ends, possibly after the requested days, or `nil` if it does not end.
        var endsAt: Double?
        var reason: SignedOutReason?
        /// Until when it was followed, if it took more steps than a forecast has; `nil` if it was
        /// followed to its end.
        var followedUntil: Double?
        /// Why the backend refused the refresh token, which the client cannot know, or `nil` if it
        /// did not.
        var refusal: RefreshRefusalCause?
        /// Whether a login succeeded.
        var hasBegun = false
        var timeline = Timeline()
    }

    package enum Client: String, Sendable, CaseIterable {
        /// By this policy.
        case ours = "renews ahead"
        /// Renews when a request was refused, as many do.
        case naive = "waits for the 401"
    }

    /// Behaviors that the documentation may leave open.
    enum BackendBehavior: String, Sendable, CaseIterable {
        case renewsRefreshToken = "each renewal brings a new refresh token"
        case extendsRefreshToken = "the refresh token stays, and each renewal moves its end on"
        case keepsRefreshToken = "the refresh token stays, and its end with it"
        case consumesRefreshToken = "the refresh token is spent, and no new one comes"
        case hasNone = "there is no refresh token"
    }

    var profile: String
    var dialect: String
    var days: Double
    var accessLifetime: Double
    var refreshLifetime: Double
    /// The lifetimes that neither the input nor the dialect defines.
    var assumed: Set<TokenKind>
    /// Those of the stored session.
    var stored: Set<TokenKind>
    var requestEvery: Double
    var faults: [String]
    var faultRate: Double
    var rows: [Row]

    /// Takes some seconds at most: a row that takes more steps than a forecast has is shortened, which
    /// it says.
    ///
    /// - Parameters:
    ///   - question: The input.
    ///   - causes: Formats the messages of the timelines.
    /// - Returns: The outcome of both clients on each backend.
    package static func run(_ question: Question, causes: any CauseFormatter) -> Forecast {
        let lifetimes = question.lifetimes
        let rows = question.behaviors.flatMap { behavior in
            [
                OurForecast(question, behavior, causes).row(),
                NaiveForecast(question, behavior).row(),
            ]
        }
        return Forecast(
            profile: question.profile,
            dialect: question.dialect.name,
            days: question.days,
            accessLifetime: lifetimes.access,
            refreshLifetime: lifetimes.refresh,
            assumed: question.assumed,
            stored: question.stored,
            requestEvery: question.requestEvery,
            faults: question.faults.map(\.name),
            faultRate: question.faultRate,
            rows: rows
        )
    }
}
