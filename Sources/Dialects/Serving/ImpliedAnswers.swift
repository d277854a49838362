import Tokens

/// What the sandbox says in a dialect whose file has no answers: headers and bodies that its own
/// reading finds its way in.
extension AnswerBook {
    /// `words` are the places of the backend's own words, the best one first.
    init(
        impliedBy login: LoginExchange,
        refresh: RefreshExchange?,
        protected: ProtectedExchange?,
        sessions: SessionsExchange?,
        words: [String]
    ) {
        let reading = refresh?.reading ?? login.reading
        func failure(_ reading: TokenReading, _ message: String) -> JSONValue {
            var body = JSONValue.object([:])
            if let path = words.first { body = body.setting(.string(message), at: path) }
            if let path = reading.success { body = body.setting(false, at: path) }
            return body
        }
        let refused = Self.text(failure(reading, "Not accepted"))
        self.init(
            login: Self.issued(login.reading),
            loginRejected: AnswerTemplate(
                status: Self.usual(401, among: login.rejected),
                body: Self.text(failure(login.reading, "Wrong credentials"))
            ),
            refresh: Self.issued(reading),
            refreshRefused: Self.refusal(
                refresh?.terminal.first,
                failure(reading, "Not accepted")
            ),
            logoutRefused: AnswerTemplate(status: 401, body: refused),
            protected: AnswerTemplate(
                status: 200,
                body: #"{"user_id": {user_id}, "email": "{email}"}"#
            ),
            unauthorized: AnswerTemplate(
                status: Self.usual(401, among: protected?.expired ?? []),
                headers: [WireHeader("WWW-Authenticate", #"Bearer error="invalid_token""#)],
                body: refused
            ),
            sessions: AnswerTemplate(
                status: 200,
                body: Self.sessions(under: sessions?.list ?? "sessions")
            ),
            session: AnswerTemplate(status: 200, body: Self.session(sessions)),
            malformed: AnswerTemplate(status: 400, body: refused)
        )
    }

    private static func usual(_ status: Int, among statuses: Set<Int>) -> Int {
        statuses.isEmpty || statuses.contains(status) ? status : statuses.min() ?? status
    }

    private static func issued(_ reading: TokenReading) -> AnswerTemplate {
        var body = JSONValue.object([:])
        var headers: [WireHeader] = []
        func set(_ gap: AnswerGap, at places: [AnswerPlace]) {
            let text = "{\(gap.rawValue)}"
            switch places.first {
            case .json(let path): body = body.setting(.string(text), at: path)
            case .header(let name): headers.append(WireHeader(name, text))
            case .cookie(let name): headers.append(WireHeader("Set-Cookie", "\(name)=\(text)"))
            case nil: break
            }
        }
        if let success = reading.success { body = body.setting(true, at: success) }
        set(.access, at: reading.access)
        set(.refresh, at: reading.refresh)
        set(.userID, at: reading.subject)
        set(.email, at: reading.displayName)
        for field in reading.accessExpiry { set(field.kind.accessGap, at: [field.place]) }
        for field in reading.refreshExpiry { set(field.kind.refreshGap, at: [field.place]) }
        return AnswerTemplate(status: 200, headers: headers, body: text(body))
    }

    /// An answer that ends a session, word for word where the rule has words.
    private static func refusal(_ rule: AnswerRule?, _ failure: JSONValue) -> AnswerTemplate {
        var body = failure
        if let key = rule?.key {
            body = body.setting(rule?.values.first ?? "Not accepted", at: key)
        }
        return AnswerTemplate(status: rule?.statuses.min() ?? 401, body: text(body))
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
