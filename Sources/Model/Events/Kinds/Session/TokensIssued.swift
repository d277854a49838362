package import Basics
import Profiles

/// A pair of tokens is held from now on.
package struct TokensIssued: EventKind {
    package var pair: PairDescription

    package init(_ pair: PairDescription) {
        self.pair = pair
    }

    private enum CodingKeys: String, CodingKey {
        case pair = "_0"
    }
}

extension TokensIssued {
    package static let name = "tokensIssued"
    package static let summary = "A pair of tokens is held from now on."
    package static let fields: [EventField<TokensIssued>] =
        pairFields + accessFields + refreshFields + [
            .time(
                "usableUntil",
                "From when on the access token is not used any more.",
                isOptional: true
            ) { $0.pair.usableUntil }
        ]

    package static let isLasting = true
    package var endNews: SessionEndNews? { .pair(pair) }
    package var tokens: [Fingerprint] {
        [pair.access?.fingerprint, pair.refresh?.fingerprint].compactMap(\.self)
    }
    package var kept: (any EventKind)? {
        // A server decides how long they are; the log of generations has them while it may.
        var short = self
        short.pair.access?.claims = [:]
        short.pair.refresh?.claims = [:]
        return short
    }
    package var tone: EventTone {
        pair.captures.contains { $0.fingerprint == nil } ? .warning : .good
    }
    package var lifelineMark: LifelineMark? { pair.origin == .refresh ? nil : .began }

    package mutating func hide(_ secrets: () -> KnownSecrets) {
        pair = pair.hiding(secrets())
    }

    package func apply(to session: inout SessionSnapshot, in event: SessionEvent) {
        // Another process may have logged in meanwhile.
        session.authorization = nil
        session.begin(pair, at: event.moment)
    }

    package func apply(to statistics: inout SessionStatistics, in event: SessionEvent) {
        statistics.tokenAvailable(
            until: pair.usableUntil ?? pair.accessExpiry?.at,
            login: event.login,
            at: event.moment
        )
    }
}

/// The fields of the pair, and of each of its tokens.
extension TokensIssued {
    private static let pairFields: [EventField<TokensIssued>] = [
        .choice("origin", "Where the pair came from.") { $0.pair.origin },
        .flag("rotated", "Whether the refresh token is a new one.") { $0.pair.rotated },
        .flag(
            "keepsAccess",
            "The last refresh brought no access token to use: the old one stays.",
            isOptional: true
        ) { $0.pair.keepsAccess ? true : nil },
        .choice(
            "keptRefresh",
            "What the last refresh did with a refresh token that it did not replace.",
            isOptional: true
        ) { $0.pair.keptRefresh },
        .integer("request", "The refresh of this run that brought it.", isOptional: true) {
            $0.pair.request
        },
        .text("subject", "The user's id.", isOptional: true) {
            $0.pair.statements.subject
        },
        .text("displayName", "The user's name.", isOptional: true) {
            $0.pair.statements.displayName
        },
        .text(
            "scope",
            "What the tokens are for, as the answer to the login or a refresh states it.",
            isOptional: true
        ) { $0.pair.statements.scopes?.joined(separator: " ") },
        .object("account", "What else the backend says of the user, by path.") { issued in
            let members = issued.pair.statements.account.map {
                ($0.path, JSONValue.string($0.value))
            }
            return members.isEmpty ? nil : Dictionary(members) { first, _ in first }
        },
        EventSchema.captures { $0.pair.captures },
    ]

    private static let accessFields =
        token("access") { $0.access }
        + expiry("access") { $0.accessExpiry }
        + unusable("access") { $0.access }

    private static let refreshFields =
        token("refresh") { $0.refresh }
        + expiry("refresh") { $0.refresh == nil ? nil : $0.refreshExpiry }
        + unusable("refresh") { $0.refresh }

    private static func token(
        _ name: String,
        _ token: @escaping @Sendable (PairDescription) -> TokenDescription?
    ) -> [EventField<TokensIssued>] {
        [
            .text(name, "The fingerprint of the \(name) token.", isOptional: true) {
                token($0.pair)?.fingerprint.digits
            },
            .text("\(name)Format", "JWT with its algorithm, or opaque.", isOptional: true) {
                token($0.pair)?.format.description
            },
            .integer("\(name)Bytes", "The length of the token.", isOptional: true) {
                token($0.pair)?.byteCount
            },
        ]
    }

    private static func unusable(
        _ name: String,
        _ statements: @escaping @Sendable (UnusableExpiries) -> [UnusableExpiry]
    ) -> [EventField<TokensIssued>] {
        [
            .choice(
                "\(name)Unusable",
                "Why an end that is stated of the token cannot be used.",
                isOptional: true
            ) { statements($0.pair.unusableExpiries).first?.problem }
        ]
    }

    private static func expiry(
        _ name: String,
        _ expiry: @escaping @Sendable (PairDescription) -> Deadline?
    ) -> [EventField<TokensIssued>] {
        [
            .time("\(name)ExpiresAt", "When the token ends.", isOptional: true) {
                expiry($0.pair)?.statedEnd
            },
            .seconds(
                "\(name)Lifetime",
                "From when the pair was asked for until it ends.",
                isOptional: true
            ) { expiry($0.pair)?.statedLifetime },
            .text("\(name)Source", "How its end is known.", isOptional: true) {
                expiry($0.pair)?.expiry.source.rawValue
            },
            .seconds(
                "\(name)Uncertainty",
                "How unsure its end is, if the clocks of both sides are in it.",
                isOptional: true
            ) {
                expiry($0.pair).flatMap { $0.expiry.isApproximate ? $0.expiry.skewWidth : nil }
            },
        ]
    }
}
