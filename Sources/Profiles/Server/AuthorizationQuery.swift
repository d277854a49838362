package import Basics

/// A browser's request for an authorization code, as the sandbox receives it.
package struct AuthorizationQuery: Sendable, Hashable {
    package let clientID: String
    package let redirectURI: String
    package let responseType: String
    /// The code challenge, empty if there is none.
    package let challenge: String
    package let challengeMethod: String
    /// The resource that the tokens are for (RFC 8707), or `nil` if the request names none.
    package let resource: String?
    /// The requested scope, or `nil` if the request names none.
    package let scope: String?
    let state: String?
    /// The reference to parameters that the client has pushed (RFC 9126), or `nil` if they are here.
    package let requestURI: String?
    /// The contents of the form that the sandbox serves, or the decision of a test; empty for a
    /// browser that is to be shown the form.
    package private(set) var form: [String: String]

    fileprivate init(_ request: WireRequest) {
        let form =
            request.method == "POST"
            ? FormEncoding.decode(String(decoding: request.body, as: UTF8.self))
            : request.queryItems.filter { $0.key == Self.decisionName }
        self.init(request.queryItems, form: form)
    }

    fileprivate init(_ items: [String: String], form: [String: String]) {
        clientID = items["client_id"] ?? ""
        redirectURI = items["redirect_uri"] ?? ""
        responseType = items["response_type"] ?? ""
        challenge = items["code_challenge"] ?? ""
        challengeMethod = items["code_challenge_method"] ?? ""
        resource = items["resource"]
        scope = items["scope"]
        state = items["state"]
        requestURI = items["request_uri"]
        self.form = form
    }

    /// Returns pushed parameters with the form of the browser's request, if it has one.
    package func filled(by pushed: AuthorizationQuery) -> AuthorizationQuery {
        var query = pushed
        if !form.isEmpty { query.form = form }
        return query
    }

    /// The parameter that a test's request contains, to be decided without the form.
    package static let decisionName = "sandbox"

    /// The decision of a test, or of the form's button.
    package var decision: Decision? { form[Self.decisionName].flatMap(Decision.init) }

    package enum Decision: String, Sendable {
        /// As the first user, without a password.
        case approve
        /// With the user name and the password of the form.
        case signIn = "sign-in"
        case deny
    }

    /// Whether the redirect goes to this machine, and nowhere else (RFC 8252 section 7.3).
    package var isForThisMachine: Bool { Self.isOfThisMachine(redirectURI) }

    static func isOfThisMachine(_ redirectURI: String) -> Bool {
        let prefix = ["http://127.0.0.1:", "http://localhost:", "http://[::1]:"]
            .first(where: redirectURI.begins)
        guard let prefix else { return false }
        let rest = redirectURI.part(after: prefix) ?? ""
        let port = rest.part(before: "/")
        return UInt16(port) != nil && RequestSyntax.isTarget(String(rest[port.endIndex...]))
    }

    /// Returns the target of the redirect with these parameters.
    package func redirect(_ parameters: [(name: String, value: String)]) -> String {
        let pairs = parameters + (state.map { [(name: "state", value: $0)] } ?? [])
        return redirectURI + (redirectURI.has("?") ? "&" : "?") + FormEncoding.encode(pairs)
    }
}

extension WireRequest {
    /// The members of the query, and of the form in the body.
    package var parameters: [String: String] {
        let body = FormEncoding.decode(String(decoding: body, as: UTF8.self))
        return method == "POST" ? queryItems.merging(body) { _, own in own } : queryItems
    }

    /// The token in `Authorization` (RFC 6750 section 2.1), or `nil` if there is none.
    package var bearerToken: AccessToken? {
        TokenLocation.bearer.token(in: self).map(AccessToken.init)
    }
}

extension Dialect {
    /// Parses a request for an authorization code; `nil` if the request is none in this dialect.
    package func recognizeAuthorization(_ request: WireRequest) -> AuthorizationQuery? {
        guard let served = servedAuthorization, served.request.path == request.path,
            ["GET", "POST"].contains(request.method)
        else { return nil }
        return AuthorizationQuery(request)
    }

    /// Whether the file defines a login with a browser, for any grant.
    package var hasAuthorization: Bool { servedAuthorization != nil }

    /// The login with a browser that the file defines for any grant.
    private var servedAuthorization: AuthorizationExchange? {
        login.authorization ?? otherLogins.lazy.compactMap(\.exchange.authorization).first
    }

    /// Returns the parameters that a client pushes before a login in the browser (RFC 9126), with its
    /// credentials; `nil` if the request is none in this dialect.
    package func recognizePushed(
        _ request: WireRequest
    ) -> (query: AuthorizationQuery, credentials: [String: Secret])? {
        guard request.method == "POST", let pushedPath, request.path == pushedPath else {
            return nil
        }
        let items = FormEncoding.decode(String(decoding: request.body, as: UTF8.self))
        let decision = items.filter { $0.key == AuthorizationQuery.decisionName }
        return (AuthorizationQuery(items, form: decision), servedLogin.request.values(in: request))
    }

    /// The path of pushed requests, or `nil` without a login with a browser.
    private var pushedPath: String? {
        servedAuthorization.map { $0.pushed?.request.path ?? "/par" }
    }

    /// The login that follows that with a browser.
    private var servedLogin: LoginExchange {
        guard login.authorization == nil else { return login }
        return otherLogins.map(\.exchange).first { $0.authorization != nil } ?? login
    }

    /// Returns the parameters with which a browser ends the provider's session; `nil` if the request
    /// is none in this dialect.
    package func recognizeEndSession(_ request: WireRequest) -> EndSessionQuery? {
        guard let endSessionPath, request.path == endSessionPath,
            ["GET", "POST"].contains(request.method)
        else { return nil }
        return EndSessionQuery(request)
    }

    /// The path at which a browser ends the provider's session, or `nil` without a login with one.
    private var endSessionPath: String? {
        servedAuthorization.map { _ in endSession?.request.path ?? "/end-session" }
    }

    /// Returns the id of the client that requests a code for a device; `nil` if the request is none
    /// in this dialect.
    package func recognizeDevice(_ request: WireRequest) -> String? {
        guard let device = servedDevice, device.request.matches(request) else { return nil }
        return device.request.values(in: request)[ClientAuthentication.idName]?.reveal() ?? ""
    }

    /// The login on any device that the file defines for any grant.
    private var servedDevice: DeviceExchange? {
        login.device ?? otherLogins.compactMap(\.exchange.device).first
    }

    /// The path at which the sandbox registers clients (RFC 7591), after that of the issuer.
    package static let servedRegistrationPath = "/register"

    /// Describes a server with this dialect (RFC 8414, OpenID Connect Discovery).
    ///
    /// - Parameter issuer: The issuer's URL, which precedes the paths of the dialect.
    /// - Returns: The document, or `nil` if the dialect has no login with a browser.
    package func providerMetadata(issuer: String) -> JSONValue? {
        guard let authorization = servedAuthorization else { return nil }
        var members: [String: JSONValue] = [
            "issuer": .string(issuer),
            "authorization_endpoint": .string(issuer + authorization.request.path),
            "token_endpoint": .string(issuer + login.request.path),
            "registration_endpoint": .string(issuer + Self.servedRegistrationPath),
            "response_types_supported": .array([.string("code")]),
            "code_challenge_methods_supported": .array([.string(CodeVerifier.method)]),
            "grant_types_supported": .array(
                ["authorization_code", "client_credentials", "password", "refresh_token"]
                    .map(JSONValue.string)
                    + (servedDevice.map { _ in [.string(DeviceExchange.grantType)] } ?? [])
            ),
            "token_endpoint_auth_methods_supported": .array(
                ["client_secret_basic", "client_secret_post", "none"].map(JSONValue.string)
            ),
            "authorization_response_iss_parameter_supported": .bool(true),
        ]
        if let pushedPath {
            members["pushed_authorization_request_endpoint"] = .string(issuer + pushedPath)
        }
        if let endSessionPath {
            members["end_session_endpoint"] = .string(issuer + endSessionPath)
        }
        if let device = servedDevice {
            members["device_authorization_endpoint"] = .string(issuer + device.request.path)
        }
        if let revocation = logouts[.this]?.request.path {
            members["revocation_endpoint"] = .string(issuer + revocation)
        }
        if let introspection {
            members["introspection_endpoint"] = .string(issuer + introspection.request.path)
        }
        if let protected {
            members["userinfo_endpoint"] = .string(issuer + protected.request.path)
        }
        return .object(members)
    }
}
