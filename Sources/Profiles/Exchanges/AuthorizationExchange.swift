package import Basics

/// The request that the user's browser makes for an authorization code (RFC 6749 section 4.1.1),
/// whose response is a redirect to this machine (RFC 8252 section 7.3).
struct AuthorizationExchange: Sendable, Hashable {
    var request: RequestShape
    var scope: String?
    /// The port of the redirect, or `nil` for a free one.
    var redirectPort: Int?
    var redirectPath: String
    /// The issuer that the redirect must name (RFC 9207), or `nil` if it need not name any.
    var issuer: String?
    /// The issuer that a redirect may leave out, but must not contradict, or `nil` if it is not known.
    var issuerIfNamed: String?
    /// The request that brings the parameters to the server, or `nil` if the browser brings them.
    var pushed: PushedExchange?
    /// The resource that the tokens are for (RFC 8707), or `nil` if it names none.
    var resource: String?

    static let usualRedirectPath = "/callback"

    /// The placeholders that it adds to the fields of the login.
    static let placeholders = ["code", "code_verifier", "redirect_uri"]
}

/// Where the redirect of a login is received, on this machine.
package struct RedirectLocation: Sendable, Hashable {
    /// The port, or `nil` for a free one.
    package var port: Int?
    var path: String
}

extension Dialect {
    /// Where the redirect of a login is received, or `nil` if a login needs no browser.
    package var redirectLocation: RedirectLocation? {
        login.authorization.map {
            RedirectLocation(port: $0.redirectPort, path: $0.redirectPath)
        }
    }

    /// Whether only the user can log in, with a browser on this machine or on any device.
    package var needsBrowser: Bool { login.authorization != nil || login.device != nil }

    /// Begins a login.
    ///
    /// - Parameters:
    ///   - baseURL: The base URL of the backend.
    ///   - port: The port on which the redirect is received.
    ///   - credentials: The client's credentials, of which the browser gets only the id.
    ///   - proofKey: The key that the tokens are to be bound to, if the server learns it before the
    ///     browser is opened (RFC 9449 section 10).
    ///   - randomBytes: Returns as many bytes from a secure source.
    /// - Returns: The attempt, or `nil` if a login needs no browser.
    /// - Throws: `MissingCredential` if the client's id is missing.
    package func authorizationAttempt(
        at baseURL: String,
        redirectPort port: Int,
        credentials: [String: Secret],
        proofKey: Secret? = nil,
        randomBytes: (Int) -> [UInt8]
    ) throws(MissingCredential) -> AuthorizationAttempt? {
        guard let authorization = login.authorization else { return nil }
        let values = withClientID(credentials)
        let wanted = authorization.pushed?.request.credentialNames ?? []
        for name in wanted.union([ClientAuthentication.idName]).sorted()
        where values[name]?.isEmpty ?? true {
            throw MissingCredential(name: name)
        }
        return AuthorizationAttempt(
            authorization,
            credentials: values,
            redirectURI: "http://127.0.0.1:\(port)\(authorization.redirectPath)",
            at: authorization.request.origin ?? baseURL,
            proofKey: proofKey,
            random: { Base64URL.encode(randomBytes(32)) }
        )
    }

    /// Whether the server gets the parameters of a login before the browser is opened.
    package var pushesAuthorization: Bool { login.authorization?.pushed != nil }
}

/// One login with a browser, from its URL to its redirect.
package struct AuthorizationAttempt: Sendable {
    /// The URL to open in the browser; it contains no secret that is of use after the login.
    package private(set) var url: String
    /// The request that brings the parameters to the server first, or `nil` if the URL contains them.
    package let pushed: WireRequest?
    let redirectURI: String
    /// The value that an id token of this login must repeat, or `nil` if none is expected.
    let nonce: Secret?
    private let path: String
    private let state: Secret
    private let verifier: CodeVerifier
    private let issuer: String?
    private let issuerIfNamed: String?
    private let proofKey: Secret?
    /// The endpoint, and the client's id.
    private let reference: (endpoint: String, client: String)

    fileprivate init(
        _ authorization: AuthorizationExchange,
        credentials: [String: Secret],
        redirectURI: String,
        at origin: String,
        proofKey: Secret?,
        random: () -> String
    ) {
        let client = credentials[ClientAuthentication.idName]?.reveal() ?? ""
        let isOpenID = authorization.scope?.parts(at: " ").contains("openid") ?? false
        let state = random()
        let nonce = isOpenID ? random() : nil
        verifier = CodeVerifier(Secret(random()))
        var pairs = [
            ("response_type", "code"), ("client_id", client), ("redirect_uri", redirectURI),
        ]
        if let scope = authorization.scope { pairs.append(("scope", scope)) }
        if let resource = authorization.resource {
            pairs.append((Dialect.resourceName, resource))
        }
        pairs.append(("state", state))
        if let nonce { pairs.append(("nonce", nonce)) }
        pairs += [
            ("code_challenge", verifier.challenge), ("code_challenge_method", CodeVerifier.method),
        ]
        let parameters = pairs.map { (name: $0.0, value: $0.1) }
        let query = FormEncoding.encode(parameters)
        url = origin + authorization.request.query.target(authorization.request.path, and: [query])
        pushed = authorization.pushed?.filled(
            parameters,
            besides: authorization.request.query,
            credentials: credentials
        )
        reference = (origin + authorization.request.path, client)
        self.proofKey = proofKey
        self.redirectURI = redirectURI
        self.state = Secret(state)
        self.nonce = nonce.map(Secret.init)
        path = authorization.redirectPath
        issuer = authorization.issuer
        issuerIfNamed = authorization.issuerIfNamed
    }

    /// Leaves to the browser only the reference to the parameters (RFC 9126 section 4).
    package mutating func refer(to pushed: PushedAuthorization) {
        let query = FormEncoding.encode([
            (ClientAuthentication.idName, reference.client), ("request_uri", pushed.requestURI),
        ])
        url = "\(reference.endpoint)?\(query)"
    }

    /// Reads a request that a browser made to this machine.
    ///
    /// - Parameter target: The path and the query.
    /// - Returns: The authorization server's statement in it, or `nil` if it is for another path.
    package func read(_ target: String) -> AuthorizationRedirect? {
        let halves = target.parts(at: "?", limit: 2, keepsEmpty: true)
        guard halves.first.map(String.init) == path else { return nil }
        let items = FormEncoding.decode(halves.count > 1 ? halves[1] : "")
        // `Secret` compares in constant time.
        guard let given = items["state"], Secret(given) == state else {
            return .rejected(.otherState)
        }
        guard namesIssuer(items["iss"]) else { return .rejected(.otherIssuer) }
        if let error = items["error"], !error.isEmpty {
            return .refused(
                error: ServerMessage.bounded(error, hiding: .none),
                description: items["error_description"].flatMap { text in
                    text.isEmpty ? nil : ServerMessage.bounded(text, hiding: .none)
                }
            )
        }
        guard let code = items["code"], !code.isEmpty else { return .rejected(.noCode) }
        return .granted(
            AuthorizationGrant(
                code: Secret(code),
                verifier: verifier,
                redirectURI: redirectURI,
                nonce: nonce,
                proofKey: proofKey
            )
        )
    }
}

extension AuthorizationAttempt {
    /// Whether a redirect may be from the server that the browser was sent to (RFC 9207 section 2.4).
    ///
    /// It must name its issuer if that is required, and no other one if that is known. If no issuer is
    /// known, there is nothing to compare.
    private func namesIssuer(_ stated: String?) -> Bool {
        if let issuer { return stated == issuer }
        guard let stated, let issuerIfNamed else { return true }
        return stated == issuerIfNamed
    }
}

/// The statement of a redirect.
package enum AuthorizationRedirect: Sendable, Hashable {
    case granted(AuthorizationGrant)
    /// The server's `error` and `error_description` (RFC 6749 section 4.1.2.1), bounded and on one
    /// line.
    case refused(error: String, description: String?)
    case rejected(RedirectProblem)
}

/// Why a redirect is not accepted.
package enum RedirectProblem: String, Error, Sendable, Hashable, Codable, CaseIterable {
    /// It does not belong to this login, so that anyone may have made it; the login continues.
    case otherState
    /// It names another issuer than the profile, or none.
    case otherIssuer
    case noCode
}

/// The grant that a login sends in place of the user's credentials.
package struct AuthorizationGrant: Sendable, Hashable {
    /// The values by the names of their placeholders.
    package let values: [String: Secret]
    /// The value that the id token must repeat, or `nil` if none is expected.
    let nonce: Secret?
    /// The key that the code is bound to already, or `nil` if it is bound to none.
    package let proofKey: Secret?

    init(
        code: Secret,
        verifier: CodeVerifier,
        redirectURI: String,
        nonce: Secret? = nil,
        proofKey: Secret? = nil
    ) {
        values = [
            "code": code, "code_verifier": verifier.secret, "redirect_uri": Secret(redirectURI),
        ]
        self.nonce = nonce
        self.proofKey = proofKey
    }

    init(deviceCode: Secret) {
        values = ["device_code": deviceCode]
        nonce = nil
        proofKey = nil
    }
}
