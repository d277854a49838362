import FoundationEssentials
import Tokens

/// Where an answer to a login or a refresh holds its parts.
struct TokenParser: Sendable, Hashable {
    /// The key path of a flag that is false in a refusal.
    var success: String?
    /// The first place that holds one counts, here and below.
    var access: [JSONLocation]
    var refresh: [JSONLocation] = []
    /// All of them count, as evidence.
    var accessExpiry: [ExpiryField] = []
    var refreshExpiry: [ExpiryField] = []
    var subject: [JSONLocation] = []
    var displayName: [JSONLocation] = []
    /// Where the kind of the access token stands; only bearer tokens can be sent.
    var tokenType: [JSONLocation] = []
    /// The key paths of what else is shown with the account, each for itself.
    var account: [String] = []

    /// The largest token that is accepted, in bytes: no server reads longer header fields.
    static let longestToken = JSONWebToken.sizeLimit

    /// What the places are looked up in: an object, or nothing at all where the tokens stand in the
    /// headers, or `nil` if the answer cannot hold tokens.
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

    /// Whether the answer says of itself that it is a refusal.
    func saysFailure(_ body: JSONValue) -> Bool {
        switch success.flatMap({ body.value(at: $0) }) {
        case .bool(let flag): !flag
        case .integer(let number): number == 0
        case .string(let text): text.lowercased() == "false"
        case .null, .number, .array, .object, nil: false
        }
    }

    /// What kept an answer from being read, as text without a secret.
    struct Unreadable: Error, Sendable, Hashable {
        let message: String
    }

    /// Everything that the answer holds, with the documented lifetimes as the last evidence.
    ///
    /// `startsRefreshLife` tells whether a refresh token in this answer begins its documented life
    /// now; `secrets` is what the backend may repeat besides these tokens.
    func tokens(
        in response: WireResponse,
        _ body: JSONValue,
        lifetimes: DocumentedLifetimes,
        startsRefreshLife: Bool,
        hiding secrets: KnownSecrets
    ) throws(Unreadable) -> IssuedTokens {
        if let type = tokenType.text(in: response, body), type.lowercased() != "bearer" {
            let shown = ServerMessage.bounded(type, hiding: secrets)
            let message = "a token of the type \(shown.quotedForError)"
            throw Unreadable(message: "\(message), and only bearer tokens can be sent")
        }
        guard let accessText = access.string(in: response, body) else {
            let places = access.map(\.text).joined(separator: " or ")
            throw Unreadable(message: "no access token at \(places) in the answer")
        }
        let refreshText = refresh.string(in: response, body)
        for (name, token) in [("access", accessText), ("refresh", refreshText ?? "")] {
            guard token.utf8.count <= Self.longestToken else {
                throw Unreadable(message: "the \(name) token is longer than 64 KiB")
            }
            guard token.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else {
                throw Unreadable(message: "the \(name) token holds characters that no header may")
            }
        }
        let accessToken = AccessToken(Secret(accessText))
        let refreshToken = refreshText.map { RefreshToken(Secret($0)) }
        var evidence = expiries(of: accessToken, refreshToken, in: response, body, lifetimes)
        if let seconds = lifetimes.access {
            evidence.access.append(.documented(seconds: seconds))
        }
        if let seconds = lifetimes.refresh, refreshToken != nil, startsRefreshLife,
            evidence.refresh.isEmpty
        {
            evidence.refresh.append(.documented(seconds: seconds))
        }
        let all = secrets.adding([accessToken.secret] + (refreshToken.map { [$0.secret] } ?? []))
        return IssuedTokens(
            access: accessToken,
            refresh: refreshToken,
            accessEvidence: evidence.access,
            refreshEvidence: evidence.refresh,
            subject: subject.text(in: response, body)
                .map { ServerMessage.bounded($0, hiding: all) },
            displayName: displayName.text(in: response, body)
                .map { ServerMessage.bounded($0, hiding: all) },
            account: details(
                in: body,
                hiding: all,
                of: [accessText, refreshText].compactMap(\.self)
            )
        )
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

    /// Everything that the answer and the tokens themselves say.
    private func expiries(
        of access: AccessToken,
        _ refresh: RefreshToken?,
        in response: WireResponse,
        _ body: JSONValue,
        _ lifetimes: DocumentedLifetimes
    ) -> (access: [ExpiryEvidence], refresh: [ExpiryEvidence]) {
        let accessStatements = accessExpiry.compactMap { $0.statement(in: response, body) }
        let refreshStatements = refreshExpiry.compactMap { $0.statement(in: response, body) }
        let accessWebToken = JSONWebToken(reading: access.secret)
        let zones = ZoneInference(
            access: accessStatements.lazy.compactMap(\.zoneless).first,
            refresh: refreshStatements.lazy.compactMap(\.zoneless).first,
            webTokenExpiry: accessWebToken?.expiresAt,
            lifetimes: lifetimes,
            serverDate: response.date
        ).zones()
        return (
            accessStatements.map { $0.evidence(zone: zones.access) }
                + [accessWebToken?.evidence].compactMap(\.self),
            refreshStatements.map { $0.evidence(zone: zones.refresh) }
                + [refresh.flatMap { JSONWebToken(reading: $0.secret) }?.evidence]
                .compactMap(\.self)
        )
    }
}

extension JSONWebToken {
    fileprivate var evidence: ExpiryEvidence? {
        expiresAt.map { .webToken(expiresAt: $0, issuedAt: issuedAt) }
    }
}

extension ExpiryField.Statement {
    /// `zone` is that of a time without one, in seconds east of UTC.
    func evidence(zone: Double) -> ExpiryEvidence {
        switch self {
        case .lifetime(let seconds): .lifetime(seconds: seconds)
        case .instant(let date): .instant(date)
        case .zoneless(let date): .inferredZone(date.addingTimeInterval(-zone))
        }
    }

    /// A time without a zone.
    var zoneless: Date? {
        if case .zoneless(let date) = self { return date }
        return nil
    }
}

extension Dialect {
    /// The tokens with the subject that the access token names.
    ///
    /// Only where the dialect's answers never name one: where they do, the two need not be alike.
    func withSubject(
        _ tokens: IssuedTokens,
        hiding secrets: KnownSecrets
    ) -> IssuedTokens {
        guard tokens.subject == nil, login.reading.subject.isEmpty,
            refresh?.reading.subject.isEmpty ?? true
        else { return tokens }
        let all = secrets.adding(tokens.secrets)
        var tokens = tokens
        tokens.subject = JSONWebToken(reading: tokens.access.secret)?.subject
            .map { ServerMessage.bounded($0, hiding: all) }
        return tokens
    }
}
