package import Basics

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
    var confidence: Confidence
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

extension TokenLink: ObservedEvent {
    package static let name = "link"
    package static let summary = "Where a pair of tokens of an app's session comes from."
    package static let fields: [EventField<TokenLink>] = [
        .choice("link", "How the app came to it.") { $0.kind },
        .integer("exchange", "The exchange in which it was seen first.") { $0.exchange },
        .integer("ofGeneration", "The generation of the pair.") { $0.generation },
        .text(
            "branch",
            "A letter, if several pairs have the generation.",
            isOptional: true
        ) { $0.branch },
        .text("parent", "The token that was exchanged for it.", isOptional: true) {
            $0.parent?.digits
        },
        .text("access", "Its access token.", isOptional: true) { $0.access?.digits },
        .text("refresh", "Its refresh token.", isOptional: true) { $0.refresh?.digits },
        .choice("confidence", "How sure that is; exact if a profile says it.") {
            $0.confidence
        },
        .sentence("why", "Why the app asked for it, for users.") {
            $1.text(.observed($0.cause))
        },
    ]

    package var kept: (any EventKind)? { nil }

    package func apply(to session: inout SessionSnapshot, in event: SessionEvent) {
        session.observed.update(self)
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
