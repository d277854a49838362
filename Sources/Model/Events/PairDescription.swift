package import Basics
package import Profiles

/// A pair, without its secrets.
package struct PairDescription: Sendable, Hashable {
    package enum Origin: String, Sendable, Hashable, Codable, CaseIterable {
        case login
        case refresh
        /// Read from the vault at start.
        case resumed
        /// Adopted from another process.
        case adopted
        /// Provided by the user.
        case imported
        /// Seen in a request of an app; how the app came to it was not seen.
        case joined
    }

    package var origin: Origin
    /// `nil` in a session of an app in which only a refresh token was seen.
    package var access: TokenDescription?
    package var refresh: TokenDescription?
    /// When the request for it was sent.
    package var issuedAt: Moment
    package var accessExpiry: Deadline?
    package var refreshExpiry: Deadline?
    /// When the session reaches its documented longest life, which no renewal extends.
    package var sessionEnd: Instant?
    /// The stated expiries of both that cannot be used.
    package var unusableExpiries = UnusableExpiries()
    /// When the access token may no longer be used, or `nil` if its expiry is unknown.
    package var usableUntil: Instant?
    /// Whether the refresh token is a new one.
    package var rotated: Bool
    /// Whether the access token is that of the pair before, since the last refresh brought none that
    /// can be used.
    package var keepsAccess = false
    /// The last refresh's treatment of a refresh token that it did not replace, or `nil` if it
    /// replaced it, or that is not known.
    package var keptRefresh: KeptRefreshToken?
    /// The backend's other statements about it.
    package var statements = PairStatements()
    /// The number of the refresh that brought it, or `nil` if none of this run did.
    package var request: Int?
    /// The values that belong to the pair besides the tokens, to be sent again.
    package var captures: [CaptureDescription] = []

    package init(
        origin: Origin,
        access: TokenDescription?,
        refresh: TokenDescription?,
        issuedAt: Moment,
        accessExpiry: Deadline?,
        refreshExpiry: Deadline?,
        rotated: Bool
    ) {
        self.origin = origin
        self.access = access
        self.refresh = refresh
        self.issuedAt = issuedAt
        self.accessExpiry = accessExpiry
        self.refreshExpiry = refreshExpiry
        self.rotated = rotated
    }
}

/// A refresh's treatment of a refresh token that it did not replace.
package enum KeptRefreshToken: String, Sendable, Hashable, Codable, CaseIterable {
    /// Its answer repeated it.
    case repeated
    /// Its answer had none, so the old one is kept.
    case omitted
    /// Its answer had none, and the profile says that each use spends it.
    case spent
}

/// A value that answers bring and requests send again, without its secret.
package struct CaptureDescription: Sendable, Hashable, Codable {
    package var reference: CaptureReference
    /// Its name, or `nil` if no answer has brought it.
    package var fingerprint: Fingerprint?

    package init(_ reference: CaptureReference, fingerprint: Fingerprint?) {
        self.reference = reference
        self.fingerprint = fingerprint
    }
}

extension PairDescription {
    /// Whether the session's longest life ends it, and not an idle refresh token before.
    package var endsByAge: Bool {
        guard let sessionEnd else { return false }
        return refreshExpiry.map { sessionEnd <= $0.statedEnd } ?? true
    }

    /// Returns the lifetime that the profile documents for a token, in seconds, if the stated one is
    /// another, or `nil` if it is the same, or one of them is not known.
    func documentedLifetime(
        otherThanStatedOf kind: TokenKind,
        in capabilities: Capabilities
    ) -> Double? {
        guard let documented = capabilities.documented else { return nil }
        let isKept = capabilities.rotation == .never
        let (deadline, lifetime): (Deadline?, Double?) =
            switch kind {
            case .access: (accessExpiry, documented.access)
            case .refresh where refresh == nil: (nil, nil)
            // Without sliding, each new token lives only for what was left of the last one.
            case .refresh where !documented.refreshSlides && !isKept && origin != .login:
                (nil, nil)
            case .refresh: (refreshExpiry, documented.refresh)
            }
        guard let deadline, let lifetime, !deadline.expiry.isAssumed else { return nil }
        let difference = abs(deadline.statedLifetime - lifetime)
        // Times in whole seconds, or by the server's clock, are never exact.
        return difference > max(5, lifetime / 20) + deadline.expiry.skewWidth ? lifetime : nil
    }

    /// The scopes that the answers and the access token itself state.
    var scopes: Set<String> {
        Set(statements.scopes ?? [])
            .union(access.flatMap { Scopes.claimed(in: $0.claims) } ?? [])
    }

    /// Returns the description with secrets hidden in the backend's values.
    func hiding(_ secrets: KnownSecrets) -> PairDescription {
        var pair = self
        pair.access = access?.hiding(secrets)
        pair.refresh = refresh?.hiding(secrets)
        pair.statements = statements.hiding(secrets)
        return pair
    }
}

extension TokenDescription {
    fileprivate func hiding(_ secrets: KnownSecrets) -> TokenDescription {
        var token = self
        token.claims = secrets.hiding(in: claims)
        if case .webToken(let algorithm?) = format {
            token.format = .webToken(algorithm: secrets.hiding(in: algorithm))
        }
        return token
    }
}

/// A token, without its secret.
package struct TokenDescription: Sendable, Hashable, Codable {
    package enum Format: Sendable, Hashable, Codable {
        /// With the algorithm that it claims.
        case webToken(algorithm: String?)
        case opaque

        /// `JWT HS256`, `opaque`; the algorithm is a server's word.
        var description: String {
            switch self {
            case .webToken(let algorithm): algorithm.map { "JWT \($0.prefix(12))" } ?? "JWT"
            case .opaque: "opaque"
            }
        }
    }

    package var fingerprint: Fingerprint
    package var format: Format
    package var byteCount: Int
    /// Of a web token; a server's data.
    package var claims: [String: JSONValue]

    package init(
        fingerprint: Fingerprint,
        format: Format,
        byteCount: Int,
        claims: [String: JSONValue]
    ) {
        self.fingerprint = fingerprint
        self.format = format
        self.byteCount = byteCount
        self.claims = claims
    }

    package init(of secret: Secret, fingerprint: Fingerprint) {
        let webToken = JSONWebToken(reading: secret)
        self.init(
            fingerprint: fingerprint,
            format: webToken.map { .webToken(algorithm: $0.algorithm) } ?? .opaque,
            byteCount: secret.byteCount,
            claims: webToken?.claims ?? [:]
        )
    }
}

/// When a token counts as over, on the clock that decides.
package struct Deadline: Sendable, Hashable, Codable {
    package var at: Instant
    /// From the moment its request was sent to `at`, at the pessimistic end.
    package var lifetime: Duration
    package var expiry: Expiry

    package init(at: Instant, lifetime: Duration, expiry: Expiry) {
        self.at = at
        self.lifetime = lifetime
        self.expiry = expiry
    }

    package init(_ expiry: Expiry, sentAt: Instant) {
        self.init(
            at: sentAt.advanced(bySeconds: expiry.seconds),
            lifetime: Duration(clampingSeconds: expiry.seconds),
            expiry: expiry
        )
    }
}

extension Deadline {
    /// When the token ends as stated, which is what users are shown.
    ///
    /// `at` is earlier by `expiry.margin`.
    package var statedEnd: Instant { at.advanced(bySeconds: expiry.margin) }

    /// In seconds, as it is stated.
    package var statedLifetime: Double { lifetime.inSeconds + expiry.margin }

    /// The lifetime in seconds if the stated one is in milliseconds, or `nil` if it cannot be: only
    /// a bare number is misread by its unit.
    var lifetimeInMilliseconds: Double? {
        guard [.lifetime, .assumedUnit].contains(expiry.source),
            statedLifetime >= Self.shortestInMilliseconds
        else {
            return nil
        }
        return statedLifetime / 1_000
    }

    /// In seconds; less than this in milliseconds is no lifetime of a token.
    private static let shortestInMilliseconds = 5_000.0

    /// Returns whether the token may have ended at an age, in seconds, although its stated end is
    /// later: its unit or its time zone may be another one.
    package func mayBeMisread(atAge age: Double) -> Bool {
        if expiry.source.isWithoutZone { return true }
        return lifetimeInMilliseconds.map { age >= $0 - 1 } ?? false
    }
}

/// When the access token is renewed, and when it may no longer be used.
package struct RenewalSchedule: Sendable, Hashable {
    package var refreshAt: Instant
    package var usableUntil: Instant

    package init(refreshAt: Instant, usableUntil: Instant) {
        self.refreshAt = refreshAt
        self.usableUntil = usableUntil
    }
}
