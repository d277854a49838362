import Basics
import Profiles

/// The session: its beginnings, its states and its ends.
extension EventSchema {
    static let session = list {
        EventDefinition(
            "capabilities",
            "A session is watched from now on; the first event of each.",
            { kind -> Capabilities? in
                if case .capabilities(let capabilities) = kind { capabilities } else { nil }
            },
            [
                .integer("schema", "The version of this schema.") { _ in version },
                .text("dialect", "The dialect that its profile is made of.") { $0.dialect },
                .text("baseURL", "Where the backend is.") { $0.baseURL },
                .choice("rotation", "Whether a refresh brings a new refresh token.") {
                    $0.rotation
                },
                .list("logout", "The logouts that the backend offers: this, everywhere.") {
                    $0.logoutScopes.map(\.rawValue).sorted().map(JSONValue.string)
                },
                .flag("feed", "Whether a feed is followed.") { $0.hasFeed },
                .text("vault", "Where the pair of tokens is kept.") { $0.vault },
            ]
        )
        EventDefinition(
            "loginStarted",
            "A login began.",
            { kind -> Void? in if case .loginStarted = kind { () } else { nil } }
        )
        EventDefinition(
            "authorizationRequested",
            "The user is to sign in with a browser, on this machine or with a code on any device.",
            { kind -> AuthorizationPrompt? in
                if case .authorizationRequested(let prompt) = kind { prompt } else { nil }
            },
            [
                .text("url", "What to open in a browser.") { $0.url },
                .text("userCode", "The code to enter there.", isOptional: true) {
                    $0.device?.userCode
                },
                .flag("opened", "Whether a browser was started with it.") { $0.isOpened },
                .time("expiresAt", "When the sign-in is given up.") { $0.expiresAt },
            ]
        )
        EventDefinition(
            "authorizationGranted",
            "The user has signed in.",
            { kind -> Void? in if case .authorizationGranted = kind { () } else { nil } }
        )
        EventDefinition(
            "idTokenChecked",
            "A login brought an id token, and its claims and its signature were checked.",
            { kind -> IDTokenReport? in
                if case .idTokenChecked(let report) = kind { report } else { nil }
            },
            [
                .text("fingerprint", "The id token.") { $0.fingerprint.digits },
                .choice("signature", "Whether one of the provider's keys signed it.") {
                    $0.signature
                },
                .choice(
                    "rule",
                    "The rule that it breaks; the login fails then.",
                    isOptional: true
                ) { $0.check.failure?.rule },
            ]
        )
        EventDefinition(
            "loginFailed",
            "A login brought no tokens.",
            { kind -> RefreshFailure? in
                if case .loginFailed(let failure) = kind { failure } else { nil }
            },
            failure { $0 }
        )
        EventDefinition(
            "tokensIssued",
            "A pair of tokens is held from now on.",
            { kind -> PairDescription? in
                if case .tokensIssued(let pair) = kind { pair } else { nil }
            },
            pair
        )
        EventDefinition(
            "capturesChanged",
            "Requests with the same tokens send other captured values from now on.",
            { kind -> [CaptureDescription]? in
                if case .capturesChanged(let captures) = kind { captures } else { nil }
            },
            [captures { $0 }]
        )
        EventDefinition(
            "stateChanged",
            "The session is in another state.",
            { kind -> (from: SessionState, to: SessionState, why: StateChangeCause)? in
                if case .stateChanged(let from, let to, let why) = kind {
                    (from, to, why)
                } else {
                    nil
                }
            },
            [
                .text("from", "The state before.") { $0.from.name },
                .text("to", "The state now.") { $0.to.name },
                .choice("cause", "What caused the change.") { $0.why.code },
                .sentence("why", "What caused the change, for a person.") { $1.text($0.why) },
                .integer("attempt", "Renewals that failed in a row.", isOptional: true) {
                    $0.to.outlook?.failures
                },
                .time("nextAt", "When the next try is due.", isOptional: true) {
                    $0.to.outlook?.nextAt
                },
                .choice(
                    "waitsFor",
                    "What brings the next try if no time does.",
                    isOptional: true
                ) { $0.to.outlook?.hold },
                .choice(
                    "reason",
                    "Why the session ended, or is about to end.",
                    isOptional: true
                ) { $0.to.reason },
                .choice("scope", "What a logout under way ends.", isOptional: true) {
                    if case .signingOut(let scope) = $0.to { scope } else { nil }
                },
            ]
        )
        EventDefinition(
            "refreshTokenRefused",
            "The backend refuses the refresh token for good.",
            { kind -> RefusalEvidence? in
                if case .refreshTokenRefused(let evidence) = kind { evidence } else { nil }
            },
            [
                .seconds("age", "Since the request from which its life counts.") { $0.age },
                .seconds("lifetime", "How long it was to live, if stated.", isOptional: true) {
                    $0.lifetime
                },
                .text("lifetimeSource", "How that is known.", isOptional: true) {
                    $0.source?.rawValue
                },
                .integer(
                    "unanswered",
                    "How often it may have been sent before without a usable answer."
                ) {
                    $0.sendsWithoutAnswer
                },
                .list(
                    "possibleCauses",
                    "What may have ended it, the likeliest first. Any of "
                        + PossibleCause.allCases.map { "`\($0.rawValue)`" }
                        .joined(separator: ", ") + "."
                ) { $0.possibleCauses.map { .string($0.rawValue) } },
                .text("message", "What the backend said of it.", isOptional: true) { $0.message },
            ]
        )
        EventDefinition(
            "draining",
            "The refresh token was refused for good; the access token can still be used.",
            { kind -> (endsAt: Instant?, reason: SignedOutReason)? in
                if case .draining(let endsAt, let reason) = kind { (endsAt, reason) } else { nil }
            },
            [
                .time("endsAt", "When the access token ends.", isOptional: true) { $0.endsAt },
                .choice("reason", "Why the session ends.") { $0.reason },
            ]
        )
        EventDefinition(
            "signedOut",
            "The session ended, or there is none.",
            { kind -> SignedOutReason? in
                if case .signedOut(let reason) = kind { reason } else { nil }
            },
            [.choice("reason", "Why.") { $0 }]
        )
        EventDefinition(
            "endedBefore",
            "There is no session at the start: how the one before ended.",
            { kind -> (reason: SignedOutReason, at: Moment, refusal: RefusalEvidence?)? in
                if case .endedBefore(let reason, let at, let refusal) = kind {
                    (reason, at, refusal)
                } else {
                    nil
                }
            },
            [
                .choice("reason", "Why it ended.") { $0.reason },
                .time("endedAt", "When it ended.") { $0.at.now },
                .text(
                    "message",
                    "What the backend said when it refused the refresh token.",
                    isOptional: true
                ) { $0.refusal?.message },
            ]
        )
        EventDefinition(
            "erased",
            "A logout is durable: no pair is stored any more.",
            { kind -> Duration? in
                if case .erased(let duration) = kind { duration } else { nil }
            },
            [
                .milliseconds("ms", "From the request to log out until it was erased.") {
                    $0.inSeconds
                }
            ]
        )
        EventDefinition(
            "revocation",
            "How far telling the backend of a logout has come.",
            { kind -> RevocationPhase? in
                if case .revocation(let phase) = kind { phase } else { nil }
            },
            [.choice("phase", "How far.") { $0 }]
        )
    }

    /// Why no tokens were issued.
    static func failure<Payload>(
        _ failure: @escaping @Sendable (Payload) -> RefreshFailure
    ) -> [PayloadField<Payload>] {
        [
            .choice("class", "What the failure means for the session.") { failure($0).kind },
            .choice("cause", "What went wrong.") { failure($0).code },
            .integer("status", "The HTTP status of the answer.", isOptional: true) {
                failure($0).status
            },
            .sentence("message", "What went wrong, for a person.") { $1.text(failure($0)) },
        ]
    }

    /// What belongs to a pair besides the tokens, by name.
    private static func captures<Payload>(
        _ captures: @escaping @Sendable (Payload) -> [CaptureDescription]
    ) -> PayloadField<Payload> {
        .object(
            "captures",
            "The fingerprint of each captured value by its name, or null if no answer has brought it."
        ) { payload in
            let members = captures(payload).map { capture in
                (
                    capture.reference.name,
                    capture.fingerprint.map { JSONValue.string($0.digits) } ?? .null
                )
            }
            return members.isEmpty ? nil : Dictionary(members) { first, _ in first }
        }
    }

    /// A pair of tokens, by fingerprints.
    static let pair: [PayloadField<PairDescription>] =
        [
            .choice("origin", "Where the pair came from.") { $0.origin },
            .flag("rotated", "Whether the refresh token is a new one.") { $0.rotated },
            .choice(
                "keptRefresh",
                "What the last refresh did with a refresh token that it did not replace.",
                isOptional: true
            ) { $0.keptRefresh },
            .integer("request", "The refresh of this run that brought it.", isOptional: true) {
                $0.request
            },
            .text("subject", "The user's id.", isOptional: true) { $0.subject },
            .text("displayName", "The user's name.", isOptional: true) { $0.displayName },
            .object("account", "What else the backend says of the user, by path.") { pair in
                let members = pair.account.map { ($0.path, JSONValue.string($0.value)) }
                return members.isEmpty ? nil : Dictionary(members) { first, _ in first }
            },
            captures(\.captures),
        ] + token("access", \.access) + expiry("access", \.accessExpiry)
        + unusable("access", \.access)
        + optionalToken("refresh", \.refresh)
        + expiry("refresh") { $0.refresh == nil ? nil : $0.refreshExpiry }
        + unusable("refresh", \.refresh)
        + [
            .time(
                "usableUntil",
                "From when on the access token is not used any more.",
                isOptional: true
            ) { $0.usableUntil }
        ]

    private static func token(
        _ name: String,
        _ token: @escaping @Sendable (PairDescription) -> TokenDescription
    ) -> [PayloadField<PairDescription>] {
        tokenFields(name, isOptional: false) { token($0) }
    }

    private static func optionalToken(
        _ name: String,
        _ token: @escaping @Sendable (PairDescription) -> TokenDescription?
    ) -> [PayloadField<PairDescription>] {
        tokenFields(name, isOptional: true, token)
    }

    private static func tokenFields(
        _ name: String,
        isOptional: Bool,
        _ token: @escaping @Sendable (PairDescription) -> TokenDescription?
    ) -> [PayloadField<PairDescription>] {
        [
            .text(name, "The fingerprint of the \(name) token.", isOptional: isOptional) {
                token($0)?.fingerprint.digits
            },
            .text("\(name)Format", "JWT with its algorithm, or opaque.", isOptional: isOptional) {
                token($0)?.format.description
            },
            .integer("\(name)Bytes", "The length of the token.", isOptional: isOptional) {
                token($0)?.byteCount
            },
        ]
    }

    private static func unusable(
        _ name: String,
        _ statements: @escaping @Sendable (UnusableExpiries) -> [UnusableExpiry]
    ) -> [PayloadField<PairDescription>] {
        [
            .choice(
                "\(name)Unusable",
                "Why an end that is stated of the token cannot be used.",
                isOptional: true
            ) { statements($0.unusableExpiries).first?.problem }
        ]
    }

    private static func expiry(
        _ name: String,
        _ expiry: @escaping @Sendable (PairDescription) -> Deadline?
    ) -> [PayloadField<PairDescription>] {
        [
            .time("\(name)ExpiresAt", "When the token ends.", isOptional: true) {
                expiry($0)?.statedEnd
            },
            .seconds(
                "\(name)Lifetime",
                "From when the pair was asked for until it ends.",
                isOptional: true
            ) { expiry($0)?.statedLifetime },
            .text("\(name)Source", "How its end is known.", isOptional: true) {
                expiry($0)?.expiry.source.rawValue
            },
            .seconds(
                "\(name)Uncertainty",
                "How unsure its end is, if the clocks of both sides are in it.",
                isOptional: true
            ) { expiry($0).flatMap { $0.expiry.isApproximate ? $0.expiry.skewWidth : nil } },
        ]
    }
}

extension SessionState {
    /// Why the session ended or is about to end, or `nil` in other states.
    fileprivate var reason: SignedOutReason? {
        switch self {
        case .signedOut(let reason), .draining(let reason): reason
        default: nil
        }
    }
}
