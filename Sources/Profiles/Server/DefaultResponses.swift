import Basics

/// The sandbox's responses in a dialect whose file defines none, with headers and bodies that the
/// dialect's own parser understands.
extension ResponseTemplates {
    /// Creates the responses; `message` are the places of the backend's own message, the preferred
    /// one first.
    init(
        impliedBy login: LoginExchange,
        refresh: RefreshExchange?,
        protected: ProtectedExchange?,
        sessions: SessionsExchange?,
        captures: [Capture],
        errorMessagePaths: [String]
    ) {
        let reading = refresh?.reading ?? login.reading
        func failure(_ reading: TokenParser, _ message: String) -> JSONValue {
            var body = JSONValue.object([:])
            if let path = errorMessagePaths.first {
                body = body.setting(.string(message), at: path)
            }
            if let path = reading.success { body = body.setting(false, at: path) }
            return body
        }
        let refused = Self.text(failure(reading, "Not accepted"))
        self.init(
            login: Self.issued(login.reading, captures),
            loginRejected: ResponseTemplate(
                status: Self.usual(401, among: login.rejected),
                body: Self.text(failure(login.reading, "Wrong credentials"))
            ),
            refresh: Self.issued(reading, captures),
            refreshRefused: Self.refusal(
                refresh?.terminal.first,
                failure(reading, "Not accepted")
            ),
            logoutRefused: ResponseTemplate(status: 401, body: refused),
            protected: ResponseTemplate(
                status: 200,
                body: #"{"user_id": {user_id}, "email": "{email}"}"#
            ),
            unauthorized: ResponseTemplate(
                status: Self.usual(401, among: protected?.expired ?? []),
                headers: [WireHeader("WWW-Authenticate", #"Bearer error="invalid_token""#)],
                body: refused
            ),
            sessions: ResponseTemplate(
                status: 200,
                body: Self.sessions(under: sessions?.list ?? "sessions")
            ),
            session: ResponseTemplate(status: 200, body: Self.session(sessions)),
            malformed: ResponseTemplate(status: 400, body: refused)
        )
    }

    private static func usual(_ status: Int, among statuses: Set<Int>) -> Int {
        statuses.isEmpty || statuses.contains(status) ? status : statuses.min() ?? status
    }

    private static func issued(
        _ reading: TokenParser,
        _ captures: [Capture]
    ) -> ResponseTemplate {
        var body = JSONValue.object([:])
        var headers: [WireHeader] = []
        func set(_ name: String, at place: JSONLocation?, until lifetime: ResponsePlaceholder?) {
            let text = "{\(name)}"
            switch place {
            case .json(let path): body = body.setting(.string(text), at: path)
            case .header(let name):
                let isBearer = JSONLocation.isAuthorization(name)
                headers.append(WireHeader(name, isBearer ? "Bearer \(text)" : text))
            case .cookie(let name):
                let age = lifetime.map { "; Max-Age={\($0.rawValue)}" } ?? ""
                headers.append(WireHeader("Set-Cookie", "\(name)=\(text); Path=/\(age)"))
            case nil: break
            }
        }
        func set(
            _ placeholder: ResponsePlaceholder,
            at places: [JSONLocation],
            until lifetime: ResponsePlaceholder? = nil
        ) {
            set(placeholder.rawValue, at: places.first, until: lifetime)
        }
        func lifetime(
            _ fields: [ExpiryField],
            _ placeholder: ResponsePlaceholder
        ) -> ResponsePlaceholder? {
            fields.contains { $0.kind == .cookie } ? placeholder : nil
        }
        if let success = reading.success { body = body.setting(true, at: success) }
        set(
            .access,
            at: reading.access,
            until: lifetime(reading.accessExpiry, .expiresIn)
        )
        set(
            .refresh,
            at: reading.refresh,
            until: lifetime(reading.refreshExpiry, .refreshExpiresIn)
        )
        set(.userID, at: reading.subject)
        set(.email, at: reading.displayName)
        for field in reading.accessExpiry where field.kind != .cookie {
            set(field.kind.accessGap, at: [field.place])
        }
        for field in reading.refreshExpiry where field.kind != .cookie {
            set(field.kind.refreshGap, at: [field.place])
        }
        let taken = reading.access + reading.refresh
        for capture in captures where !taken.contains(capture.place) {
            set(capture.name, at: capture.place, until: nil)
        }
        return ResponseTemplate(status: 200, headers: headers, body: text(body))
    }

    /// Returns a response that ends a session, with the exact values of the rule if it has any.
    private static func refusal(_ rule: ResponseRule?, _ failure: JSONValue) -> ResponseTemplate {
        var body = failure
        if let key = rule?.key {
            body = body.setting(rule?.values.first ?? "Not accepted", at: key)
        }
        return ResponseTemplate(status: rule?.statuses.min() ?? 401, body: text(body))
    }

    private static func sessions(under path: String) -> String {
        path.isEmpty ? "{sessions}" : text(JSONValue.object([:]).setting("{sessions}", at: path))
    }

    private static func session(_ exchange: SessionsExchange?) -> String {
        var body = JSONValue.object([:]).setting("{session_id}", at: exchange?.id ?? "id")
        if let path = exchange?.name { body = body.setting("{session_name}", at: path) }
        if let path = exchange?.startedAt { body = body.setting("{session_started_at}", at: path) }
        if let path = exchange?.isCurrent { body = body.setting("{session_is_current}", at: path) }
        return text(body)
    }

    /// Returns the body as a template, in which placeholders for numbers have no quotes.
    private static func text(_ body: JSONValue) -> String {
        let parts = body.serialized.parts(at: "\"", keepsEmpty: true)
        var text = String(parts[0])
        for (before, part) in zip(parts, parts.dropFirst()) {
            if !unquoted.contains(before), !unquoted.contains(part) { text += "\"" }
            text += part
        }
        return text
    }

    /// The gaps for numbers, as they are written.
    private static let unquoted = Set(
        ResponsePlaceholder.allCases.filter(\.isRaw).map { "{\($0.rawValue)}"[...] }
    )
}

extension ResponsePlaceholder {
    /// Whether the value is written in JSON without quotes.
    fileprivate var isRaw: Bool {
        switch self {
        case .expiresIn, .expiresInMilliseconds, .refreshExpiresIn, .refreshExpiresInMilliseconds,
            .accessExpiresAtUnix, .accessExpiresAtMilliseconds, .refreshExpiresAtUnix,
            .refreshExpiresAtMilliseconds, .userID, .sessions, .sessionIsCurrent:
            true
        case .access, .refresh, .accessExpiresAt, .accessExpiresAtZoneless,
            .accessExpiresAtHTTPDate, .refreshExpiresAt, .refreshExpiresAtZoneless,
            .refreshExpiresAtHTTPDate, .email, .username, .sessionID, .sessionName,
            .sessionStartedAt:
            false
        }
    }
}

extension ExpiryField.Kind {
    fileprivate var accessGap: ResponsePlaceholder {
        switch self {
        case .seconds, .secondsUnlessZero, .cookie: .expiresIn
        case .milliseconds: .expiresInMilliseconds
        case .unixSeconds: .accessExpiresAtUnix
        case .unixMilliseconds: .accessExpiresAtMilliseconds
        case .iso8601: .accessExpiresAt
        case .httpDate: .accessExpiresAtHTTPDate
        }
    }

    fileprivate var refreshGap: ResponsePlaceholder {
        switch self {
        case .seconds, .secondsUnlessZero, .cookie: .refreshExpiresIn
        case .milliseconds: .refreshExpiresInMilliseconds
        case .unixSeconds: .refreshExpiresAtUnix
        case .unixMilliseconds: .refreshExpiresAtMilliseconds
        case .iso8601: .refreshExpiresAt
        case .httpDate: .refreshExpiresAtHTTPDate
        }
    }
}
