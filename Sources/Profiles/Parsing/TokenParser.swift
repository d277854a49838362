import Basics
import FoundationEssentials

/// The places of the parts of a response to a login or a refresh.
struct TokenParser: Sendable, Hashable {
    /// The key path of a flag that is `false` in a rejection.
    var success: String?
    /// The places of the access token, of which the first present one applies, as for the others
    /// below.
    var access: [JSONLocation]
    var refresh: [JSONLocation] = []
    /// The places of the expiry, all of which are used as evidence.
    var accessExpiry: [ExpiryField] = []
    var refreshExpiry: [ExpiryField] = []
    var subject: [JSONLocation] = []
    var displayName: [JSONLocation] = []
    /// The places of the token type.
    var tokenType: [JSONLocation] = []
    /// The scheme that the profile names for requests, or `nil` for the usual one.
    var scheme: String?
    /// Whether the tokens must be bound to a key (RFC 9449 section 5); only bearer tokens can be
    /// sent otherwise.
    var isBound = false
    /// The key paths of further account details, each of which is shown.
    var account: [String] = []

    /// The size of the largest token that is accepted, in bytes; servers do not accept longer
    /// header fields.
    static let longestToken = JSONWebToken.sizeLimit

    /// The place of the id token (OpenID Connect Core 1.0 section 3.1.3.3).
    static let idTokenPlace = JSONLocation.json("id_token")

    /// Returns the value in which the places are looked up: an object, or an empty one if the
    /// tokens are in the headers, or `nil` if the response cannot contain tokens.
    func readable(_ body: ResponseBody, _ response: WireResponse) -> JSONValue? {
        if body.isObject { return body.json }
        let isInHeaders = access.contains { place in
            switch place {
            case .json: false
            case .header, .cookie: place.value(in: response, .null)?.stringValue != nil
            }
        }
        return isInHeaders ? .null : nil
    }

    /// Returns whether the response's own flag says that it is a rejection.
    func saysFailure(_ body: JSONValue) -> Bool {
        success.flatMap { body.value(at: $0) }?.isFalse ?? false
    }

    /// The reason why a response cannot be read, without secrets.
    struct Unreadable: Error, Sendable, Hashable {
        let message: String
    }

    /// Returns everything that the response contains, with the documented lifetimes as the last
    /// evidence.
    ///
    /// `startsRefreshLife` says whether the documented lifetime of a refresh token in this response
    /// starts now; `secrets` are those that the backend may repeat besides these tokens.
    func tokens(
        in response: WireResponse,
        _ body: JSONValue,
        lifetimes: DocumentedLifetimes,
        startsRefreshLife: Bool,
        hiding secrets: KnownSecrets
    ) throws(Unreadable) -> IssuedTokens {
        let accessText = access.string(in: response, body)
        let refreshText = refresh.string(in: response, body)
        let idToken = Self.idTokenPlace.value(in: response, body)?.stringValue.map(Secret.init)
        let own = [accessText.map(Secret.init), refreshText.map(Secret.init), idToken]
            .compactMap(\.self)
        if let type = tokenType.text(in: response, body), !canSend(type) {
            let shown = ServerMessage.bounded(type, hiding: secrets.adding(own, in: type))
            let message = "a token of the type \(shown.quotedForError)"
            let expected =
                isBound
                ? "the profile has dpop = true"
                : "only bearer tokens can be sent without protected.scheme"
            throw Unreadable(message: "\(message), and \(expected)")
        }
        guard let accessText else {
            let places = access.map(\.text).joined(separator: " or ")
            throw Unreadable(message: "no access token at \(places) in the answer")
        }
        for (name, token) in [("access", accessText), ("refresh", refreshText ?? "")] {
            guard token.utf8.count <= Self.longestToken else {
                throw Unreadable(message: "the \(name) token is longer than 64 KiB")
            }
            guard Self.isPrintable(token) else {
                let message = "the \(name) token contains characters that a header must not have"
                throw Unreadable(message: message)
            }
        }
        let accessToken = AccessToken(Secret(accessText))
        let refreshToken = refreshText.map { RefreshToken(Secret($0)) }
        var evidence = expiries(of: accessToken, refreshToken, in: response, body, lifetimes)
        if let seconds = lifetimes.access {
            evidence.access.append(.documented(seconds: seconds))
        }
        if refreshToken != nil, startsRefreshLife { lifetimes.documentRefresh(&evidence.refresh) }
        return IssuedTokens(
            access: accessToken,
            refresh: refreshToken,
            idToken: idToken.map { IDToken($0) },
            accessEvidence: evidence.access,
            refreshEvidence: evidence.refresh,
            statements: PairStatements(
                subject: subject.text(in: response, body)
                    .map { ServerMessage.bounded($0, hiding: secrets.adding(own, in: $0)) },
                displayName: displayName.text(in: response, body)
                    .map { ServerMessage.bounded($0, hiding: secrets.adding(own, in: $0)) },
                account: account.isEmpty
                    ? []
                    : details(
                        in: body,
                        hiding: secrets.adding(own),
                        of: [accessText, refreshText].compactMap(\.self)
                    ),
                scopes: Scopes.stated(in: body) { secrets.adding(own, in: $0) }?
                    .map { $0.inOneLine(limit: 64) }
            )
        )
    }

    /// Types of tokens that are sent as bearer tokens are, in small letters: those of Apigee and of Azure
    /// DevOps among them; the last is RFC 8693's for a token that is not for requests by itself (section
    /// 2.2.1).
    private static let plainTypes: Set<String> = [
        "bearer", "bearertoken", "jwt", "jwt-bearer", "token", "n_a",
    ]

    /// Whether a token of a type can be sent: a client must not use one whose type it does not know (RFC
    /// 6749 section 7.1), unless the profile says how.
    private func canSend(_ type: String) -> Bool {
        let type = type.asciiLowercased.trimming { $0 == 0x20 }
        if isBound || type == "dpop" { return isBound && type == "dpop" }
        return scheme != nil || Self.plainTypes.contains(String(type))
    }

    /// Returns the evidence about a refresh token that comes without an access token.
    func refreshEvidence(
        of token: RefreshToken,
        in response: WireResponse,
        _ body: JSONValue,
        lifetimes: DocumentedLifetimes,
        startsLife: Bool
    ) -> [ExpiryEvidence] {
        var evidence = expiries(of: nil, token, in: response, body, lifetimes).refresh
        if startsLife { lifetimes.documentRefresh(&evidence) }
        return evidence
    }

    /// Whether a token is short enough, and has nothing that a header must not have.
    static func canBeSent(_ token: String) -> Bool {
        token.utf8.count <= longestToken && isPrintable(token)
    }

    private static func isPrintable(_ token: String) -> Bool {
        token.utf8.allSatisfy { (0x20...0x7E).contains($0) }
    }

    private func details(
        in body: JSONValue,
        hiding secrets: KnownSecrets,
        of tokens: [String]
    ) -> [AccountDetail] {
        account.compactMap { path in
            ServerMessage.find(in: .json(body), at: [path], hiding: secrets, of: tokens)
                .map { AccountDetail(path: path, value: $0) }
        }
    }

    /// Collects the expiries stated by the response and by the tokens themselves.
    private func expiries(
        of access: AccessToken?,
        _ refresh: RefreshToken?,
        in response: WireResponse,
        _ body: JSONValue,
        _ lifetimes: DocumentedLifetimes
    ) -> (access: [ExpiryEvidence], refresh: [ExpiryEvidence]) {
        let accessStatements = accessExpiry.compactMap { $0.statement(in: response, body) }
        let refreshStatements = refreshExpiry.compactMap { $0.statement(in: response, body) }
        let accessWebToken = access.flatMap { JSONWebToken(reading: $0.secret) }
        let zones = ZoneInference(
            access: accessStatements.lazy.compactMap(\.zoneless).first,
            refresh: refreshStatements.lazy.compactMap(\.zoneless).first,
            webTokenExpiry: accessWebToken?.expiresAt,
            lifetimes: lifetimes,
            serverDate: response.date
        ).zones()
        return (
            accessStatements.map { $0.evidence(zone: zones?.access) }
                + [accessWebToken?.expiryEvidence].compactMap(\.self),
            refreshStatements.map { $0.evidence(zone: zones?.refresh) }
                + [refresh.flatMap { JSONWebToken(reading: $0.secret) }?.expiryEvidence]
                .compactMap(\.self)
        )
    }
}

extension DocumentedLifetimes {
    /// Adds the documented lifetime of a refresh token to the evidence, if nothing else can be used.
    fileprivate func documentRefresh(_ evidence: inout [ExpiryEvidence]) {
        guard let refresh, evidence.allSatisfy({ $0.unusable != nil }) else { return }
        evidence.append(.documented(seconds: refresh))
    }
}

extension ExpiryField.Statement {
    /// Returns the evidence; `zone` is that of a time without one, in seconds east of UTC, or `nil`
    /// if nothing tells it.
    func evidence(zone: Double?) -> ExpiryEvidence {
        switch self {
        case .lifetime(let seconds): .lifetime(seconds: seconds)
        case .maxAge(let seconds): .cookieMaxAge(seconds: seconds)
        case .instant(let date): .instant(date)
        case .cookieExpires(let date): .cookieExpires(date)
        case .zoneless(let date):
            zone.map { .inferredZone(date.addingTimeInterval(-$0)) } ?? .assumedZone(date)
        case .unusable(let statement): .unusable(statement)
        }
    }

    /// The local time, or `nil` if its zone is known.
    var zoneless: Date? {
        if case .zoneless(let date) = self { return date }
        return nil
    }
}

extension Dialect {
    /// Returns the tokens with the subject of the access token.
    ///
    /// Only if the dialect's responses never contain a subject: if they do, the two may differ.
    func withSubject(
        _ tokens: IssuedTokens,
        hiding secrets: KnownSecrets
    ) -> IssuedTokens {
        guard tokens.statements.subject == nil, login.reading.subject.isEmpty,
            refresh?.reading.subject.isEmpty ?? true
        else { return tokens }
        let own = tokens.secrets
        var tokens = tokens
        tokens.statements.subject = JSONWebToken(reading: tokens.access.secret)?.subject
            .map { ServerMessage.bounded($0, hiding: secrets.adding(own, in: $0)) }
        return tokens
    }
}
