import Tokens

/// What the sandbox says in a dialect whose file has no answers: bodies that its own reading finds
/// its way in.
extension AnswerBook {
    init(impliedBy dialect: Dialect) {
        let login = dialect.login.reading
        let reading = dialect.refresh?.reading ?? login
        let refusal = Self.refusal(by: dialect)
        let rejected = Self.failure(login.success, words: "Wrong credentials", in: dialect)
        let refused = Self.failure(reading.success, words: "Not accepted", in: dialect)
        let expired = dialect.protected?.expired.sorted().first ?? 401
        self.init(
            login: AnswerTemplate(status: 200, body: Self.issued(login)),
            loginRejected: AnswerTemplate(
                status: dialect.login.rejected.contains(401)
                    ? 401 : dialect.login.rejected.sorted().first ?? 401,
                body: Self.text(rejected)
            ),
            refresh: AnswerTemplate(status: 200, body: Self.issued(reading)),
            refreshRefused: refusal,
            logoutRefused: AnswerTemplate(status: 401, body: Self.text(refused)),
            protected: AnswerTemplate(
                status: 200,
                body: #"{"user_id": {user_id}, "email": "{email}"}"#
            ),
            unauthorized: AnswerTemplate(
                status: expired,
                headers: [WireHeader("WWW-Authenticate", #"Bearer error="invalid_token""#)],
                body: Self.text(refused)
            ),
            sessions: AnswerTemplate(
                status: 200,
                body: Self.sessions(under: dialect.sessions?.list ?? "sessions")
            ),
            session: AnswerTemplate(status: 200, body: Self.session(dialect.sessions)),
            malformed: AnswerTemplate(status: 400, body: Self.text(refused))
        )
    }

    /// Empty answers, until the real ones are known.
    static let placeholder: AnswerBook = {
        let empty = AnswerTemplate(status: 204)
        return AnswerBook(
            login: empty,
            loginRejected: empty,
            refresh: empty,
            refreshRefused: empty,
            logoutRefused: empty,
            protected: empty,
            unauthorized: empty,
            sessions: empty,
            session: empty,
            malformed: empty
        )
    }()

    private static func issued(_ reading: TokenReading) -> String {
        var body = JSONValue.object([:])
        func set(_ gap: AnswerGap, at places: [AnswerPlace]) {
            guard case .json(let path)? = places.first else { return }
            body = body.setting(.string("{\(gap.rawValue)}"), at: path)
        }
        if let success = reading.success { body = body.setting(true, at: success) }
        set(.access, at: reading.access)
        set(.refresh, at: reading.refresh)
        set(.userID, at: reading.subject)
        set(.email, at: reading.displayName)
        for field in reading.accessExpiry { set(field.kind.accessGap, at: [field.place]) }
        for field in reading.refreshExpiry { set(field.kind.refreshGap, at: [field.place]) }
        return text(body)
    }

    /// The first answer that ends a session, word for word where the rule has words.
    private static func refusal(by dialect: Dialect) -> AnswerTemplate {
        let success = dialect.refresh?.reading.success
        var body = failure(success, words: "Not accepted", in: dialect)
        let rule = dialect.refresh?.terminal.first
        if let key = rule?.key {
            body = body.setting(rule?.values.first ?? "Not accepted", at: key)
        }
        let status = rule?.statuses.sorted().first ?? 401
        return AnswerTemplate(status: status, body: text(body))
    }

    private static func failure(
        _ success: String?,
        words: String,
        in dialect: Dialect
    ) -> JSONValue {
        var body = JSONValue.object([:])
        if let path = dialect.words.first { body = body.setting(.string(words), at: path) }
        if let success { body = body.setting(false, at: success) }
        return body
    }

    private static func sessions(under path: String) -> String {
        path.isEmpty ? "{sessions}" : text(JSONValue.object([:]).setting("{sessions}", at: path))
    }

    private static func session(_ exchange: SessionsExchange?) -> String {
        var body = JSONValue.object([:]).setting("{session_id}", at: exchange?.id ?? "id")
        if let path = exchange?.startedAt { body = body.setting("{session_started_at}", at: path) }
        if let path = exchange?.isCurrent { body = body.setting("{session_is_current}", at: path) }
        return text(body)
    }

    /// The body as a template: gaps for numbers lose their quotes.
    private static func text(_ body: JSONValue) -> String {
        AnswerGap.allCases.filter(\.isRaw).reduce(body.serialized) { text, gap in
            text.replacing("\"{\(gap.rawValue)}\"", with: "{\(gap.rawValue)}")
        }
    }
}

extension AnswerGap {
    /// Whether the value stands in JSON without quotes.
    fileprivate var isRaw: Bool {
        switch self {
        case .expiresIn, .refreshExpiresIn, .accessExpiresAtUnix, .accessExpiresAtMilliseconds,
            .refreshExpiresAtUnix, .refreshExpiresAtMilliseconds, .userID, .sessions,
            .sessionIsCurrent:
            true
        case .access, .refresh, .accessExpiresAt, .accessExpiresAtZoneless,
            .accessExpiresAtHTTPDate, .refreshExpiresAt, .refreshExpiresAtZoneless,
            .refreshExpiresAtHTTPDate, .email, .username, .sessionID, .sessionStartedAt:
            false
        }
    }
}

extension ExpiryField.Kind {
    fileprivate var accessGap: AnswerGap {
        switch self {
        case .seconds: .expiresIn
        case .unixSeconds: .accessExpiresAtUnix
        case .unixMilliseconds: .accessExpiresAtMilliseconds
        case .iso8601: .accessExpiresAt
        case .httpDate: .accessExpiresAtHTTPDate
        }
    }

    fileprivate var refreshGap: AnswerGap {
        switch self {
        case .seconds: .refreshExpiresIn
        case .unixSeconds: .refreshExpiresAtUnix
        case .unixMilliseconds: .refreshExpiresAtMilliseconds
        case .iso8601: .refreshExpiresAt
        case .httpDate: .refreshExpiresAtHTTPDate
        }
    }
}
