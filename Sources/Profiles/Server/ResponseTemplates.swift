import Basics

/// Writing of a backend's decisions in this dialect.
extension Dialect {
    package func answer(_ answer: BackendResponse) -> WireResponse {
        switch answer {
        case .loginIssued(let facts):
            answers.login.filled(ResponseValues(facts, capturing: captures.map(\.name)))
        case .loginRejected:
            answers.loginRejected.filled()
        case .refreshIssued(let facts):
            answers.refresh.filled(ResponseValues(facts, capturing: captures.map(\.name)))
        case .refreshRefused(let cause):
            (answers.refreshRefusedBy[cause] ?? answers.refreshRefused).filled()
        case .loggedOut(let scope):
            (answers.logouts[scope] ?? answers.logouts[.this] ?? ResponseTemplate(status: 204))
                .filled()
        case .logoutRefused:
            answers.logoutRefused.filled()
        case .protectedContent(let user):
            answers.protected.filled(ResponseValues(user))
        case .unauthorized(let cause):
            (answers.unauthorizedBy[cause] ?? answers.unauthorized).filled()
        case .sessions(let sessions):
            answers.sessions.filled(
                ResponseValues(sessions: sessions.map { answers.session.text(ResponseValues($0)) })
            )
        case .sessionEnded:
            ResponseTemplate(status: 204).filled()
        case .sessionUnknown:
            ResponseTemplate(status: 404).filled()
        case .introspected(let facts):
            ResponseTemplate(status: 200, body: (facts?.json ?? ["active": false]).serialized)
                .filled()
        case .userinfo(let user):
            ResponseTemplate(
                status: 200,
                body: #"{"sub": "{user_id}", "email": "{email}", "name": "{username}"}"#
            )
            .filled(ResponseValues(user))
        case .malformed:
            answers.malformed.filled()
        }
    }
}

extension IntrospectionFacts {
    /// The members of RFC 7662 section 2.2; `token_type` is that of an access token.
    fileprivate var json: JSONValue {
        var members: [String: JSONValue] = [
            "active": true, "exp": .integer(Int64(expiresAt)), "sub": .string(String(user.id)),
            "username": .string(user.username), "client_id": "sandbox", "scope": "read",
        ]
        if isAccessToken { members["token_type"] = "Bearer" }
        return .object(members)
    }
}

/// All responses of the sandbox in a dialect.
struct ResponseTemplates: Sendable, Hashable {
    var login: ResponseTemplate
    var loginRejected: ResponseTemplate
    var refresh: ResponseTemplate
    var refreshRefused: ResponseTemplate
    /// The responses for the causes that have their own.
    var refreshRefusedBy: [RefreshRefusalCause: ResponseTemplate] = [:]
    var logouts: [LogoutScope: ResponseTemplate] = [:]
    var logoutRefused: ResponseTemplate
    var protected: ResponseTemplate
    var unauthorized: ResponseTemplate
    /// The responses for the causes that have their own.
    var unauthorizedBy: [UnauthorizedCause: ResponseTemplate] = [:]
    var sessions: ResponseTemplate
    /// One session in the list.
    var session: ResponseTemplate
    var malformed: ResponseTemplate
}

/// One response of the sandbox, with placeholders.
struct ResponseTemplate: Sendable, Hashable {
    var status: Int
    var headers: [WireHeader]
    private let body: PlaceholderText
    private let bodyWithoutRefresh: PlaceholderText

    /// Creates a template with the body as written; inserted values are escaped for JSON.
    init(status: Int, headers: [WireHeader] = [], body: String = "") {
        self.status = status
        self.headers = headers
        let hasType = headers.contains { $0.name.asciiLowercased == "content-type" }
        if !hasType, !body.isEmpty {
            self.headers.append(WireHeader("Content-Type", "application/json"))
        }
        self.body = PlaceholderText(body)
        let placeholders = ResponsePlaceholder.refreshToken.map(\.rawValue).filter(
            self.body.names.contains
        )
        bodyWithoutRefresh = PlaceholderText(
            JSONText.removingMembers(with: placeholders, from: body)
        )
    }

    /// The names of the body's placeholders, including unknown ones.
    var placeholderNames: [String] { body.names }

    var isJSON: Bool {
        headers.contains { header in
            header.name.asciiLowercased == "content-type" && header.value.containsBytes(of: "json")
        }
    }

    /// Returns the response with its placeholders replaced.
    func filled(_ values: ResponseValues = ResponseValues()) -> WireResponse {
        WireResponse(
            status: status,
            headers: headers.compactMap { Self.filled($0, values) },
            body: Array(text(values).utf8)
        )
    }

    /// Returns the header, or `nil` if one of its placeholders has no value.
    private static func filled(_ header: WireHeader, _ values: ResponseValues) -> WireHeader? {
        let template = PlaceholderText(header.value)
        guard template.names.allSatisfy({ values[$0] != nil }) else { return nil }
        return WireHeader(header.name, template.filled { values[$0] })
    }

    /// Returns the body with its placeholders replaced.
    ///
    /// Without a refresh token, the members for it and its lifetime are omitted.
    func text(_ values: ResponseValues) -> String {
        let template = values[.access] != nil && values[.refresh] == nil ? bodyWithoutRefresh : body
        return template.filled { name in
            guard let value = values[name] else { return nil }
            let isList = name == ResponsePlaceholder.sessions.rawValue
            return isJSON && !isList ? JSONText.escaped(value) : value
        }
    }

    /// Whether the body is valid JSON with any values for its placeholders.
    var isWellFormed: Bool {
        guard isJSON else { return true }
        return [body, bodyWithoutRefresh].allSatisfy { template in
            let text = template.filled { ResponsePlaceholder(rawValue: $0)?.sample ?? "sample" }
            return JSONValue(parsing: Array(text.utf8)) != nil
        }
    }
}
