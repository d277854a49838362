package import Basics

/// What is seen of an app's session besides the events that every session has.
package enum ObservedEvent: Sendable, Hashable, Codable {
    /// A client takes part in the session for the first time.
    case client(ObservedClient)
    /// What the session amounts to is something else than before.
    case standing(ObservedStanding)
    /// A token was exchanged for others, or was seen first.
    case link(TokenLink)
    /// A finding is new, or happened again.
    case finding(ObservedFinding)
    /// An experiment has begun, or a line of its scorecard has changed.
    case scorecard(Scorecard)
    /// The session is no longer followed; if its tokens are seen again, they are those of another one.
    case forgotten(ForgottenSession)
    /// Something was left out, or more of it.
    case omitted(Omission)
    /// A request was refused because it named another server.
    case misdirected(MisdirectedRequest)
}

/// A session that makes room for others.
package struct ForgottenSession: Sendable, Hashable, Codable {
    /// The number of sessions that are followed at a time.
    package var limit: Int
    package var lastUsedAt: Instant
    /// Whether the session had ended.
    package var hasEnded: Bool

    package init(limit: Int, lastUsedAt: Instant, hasEnded: Bool) {
        self.limit = limit
        self.lastUsedAt = lastUsedAt
        self.hasEnded = hasEnded
    }
}

/// A program that sends requests, as far as they tell it from others.
package struct ObservedClient: Sendable, Hashable, Codable {
    /// Its address, without a port.
    package var peer: String
    /// The beginning of its `User-Agent`.
    package var userAgent: String?
    /// The `Origin` of a page.
    package var origin: String?
    /// The name that it gives itself in `X-Authtop-Client`.
    package var name: String?

    package init(
        peer: String,
        userAgent: String? = nil,
        origin: String? = nil,
        name: String? = nil
    ) {
        self.peer = peer
        self.userAgent = userAgent
        self.origin = origin
        self.name = name
    }
}

/// What a session amounts to, as far as its traffic shows it.
package enum ObservedStanding: Sendable, Hashable, Codable {
    /// It was under way when the run began: neither its login nor its expiries were seen.
    case joined
    /// With the end of its access token, or `nil` if that is unknown.
    case live(until: Instant?)
    /// This exchange is renewing it.
    case renewing(exchange: Int)
    /// Its access token was refused in this exchange, and nothing has come of it yet.
    case refused(exchange: Int)
    /// Its access token has ended.
    case expired
    case ended(ObservedEnd)

    /// The standing as the field `standing` of an event has it.
    package enum Code: String, Sendable, Hashable, CaseIterable {
        case joined
        case live
        case renewing
        case refused
        case expired
        case ended
    }

    package var code: Code {
        switch self {
        case .joined: .joined
        case .live: .live
        case .renewing: .renewing
        case .refused: .refused
        case .expired: .expired
        case .ended: .ended
        }
    }

    /// The exchange that it depends on, or `nil` if it depends on none.
    package var exchange: Int? {
        switch self {
        case .renewing(let exchange), .refused(let exchange): exchange
        case .joined, .live, .expired, .ended: nil
        }
    }
}

/// How a session ended, as far as its traffic shows it.
package enum ObservedEnd: String, Sendable, Hashable, Codable, CaseIterable {
    /// The backend acknowledged a logout.
    case logout
    /// Its newest refresh token was refused for good.
    case refreshRefused
    /// A spent refresh token was used again, and the newest tokens are refused since.
    case reuseDetected
    /// Its client logged in again.
    case replaced
    /// The last of its tokens has ended.
    case expired
    /// Nothing was heard of it for long.
    case silent
}

/// Where a pair of tokens comes from.
package struct TokenLink: Sendable, Hashable, Codable {
    package enum Kind: String, Sendable, Hashable, Codable, CaseIterable {
        case login
        case refresh
        /// It was seen first in a request.
        case joined
    }

    package enum Confidence: String, Sendable, Hashable, Codable, CaseIterable {
        /// A profile says how it is read.
        case exact
        case certain
        case likely
    }

    package var kind: Kind
    package var exchange: Int
    /// The pair's generation in the session.
    package var generation: Int
    /// `a`, `b`, … if several pairs have the generation.
    package var branch: String?
    /// The token that was exchanged for it.
    package var parent: Fingerprint?
    package var access: Fingerprint?
    package var refresh: Fingerprint?
    package var confidence: Confidence
    /// Why the app asked for it.
    package var cause: ObservedCause

    package init(
        kind: Kind,
        exchange: Int,
        generation: Int,
        branch: String? = nil,
        parent: Fingerprint? = nil,
        access: Fingerprint? = nil,
        refresh: Fingerprint? = nil,
        confidence: Confidence,
        cause: ObservedCause
    ) {
        self.kind = kind
        self.exchange = exchange
        self.generation = generation
        self.branch = branch
        self.parent = parent
        self.access = access
        self.refresh = refresh
        self.confidence = confidence
        self.cause = cause
    }
}

/// Why an app sent a request, as far as its traffic shows it.
package enum ObservedCause: Sendable, Hashable, Codable {
    /// The traffic does not show it.
    case unknown
    /// The access token was refused in this exchange just before.
    case refused(exchange: Int)
    /// The access token was to end in this number of seconds.
    case beforeEnd(seconds: Double)
    /// The access token had ended this number of seconds before.
    case afterEnd(seconds: Double)
    /// The client had been silent.
    case start
    /// It repeats this exchange.
    case retry(of: Int)
}
