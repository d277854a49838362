package import Basics

/// The address at which the user's browser ends the provider's own session (OpenID Connect
/// RP-Initiated Logout 1.0).
struct EndSessionExchange: Sendable, Hashable {
    var request: RequestShape
    /// The port of the redirect that follows, or `nil` if none is requested: the provider must know
    /// its exact address.
    var redirectPort: Int?
    var redirectPath: String

    static let usualRedirectPath = "/logged-out"
}

extension Dialect {
    /// Whether a browser can end the provider's own session.
    package var endsProviderSession: Bool { endSession != nil }

    /// The port on which the browser is received, or `nil` for a free one.
    package var endSessionPort: Int? { endSession?.redirectPort }

    /// Begins the end of the provider's session.
    ///
    /// - Parameters:
    ///   - baseURL: The base URL of the backend.
    ///   - port: The port on which the browser is received.
    ///   - idToken: The last id token of the session, or `nil` if there is none: then the provider
    ///     asks the user.
    ///   - randomBytes: Returns as many bytes from a secure source.
    /// - Returns: The attempt, or `nil` if the file names no address for it.
    package func endSessionAttempt(
        at baseURL: String,
        port: Int,
        idToken: Secret?,
        randomBytes: (Int) -> [UInt8]
    ) -> EndSessionAttempt? {
        endSession.map { exchange in
            EndSessionAttempt(
                exchange,
                at: exchange.request.origin ?? baseURL,
                port: port,
                client: clientID,
                idToken: idToken,
                random: { Base64URL.encode(randomBytes(32)) }
            )
        }
    }
}

/// One end of a provider's session, from the address on this machine to the redirect.
package struct EndSessionAttempt: Sendable {
    /// The address to open in the browser.
    ///
    /// It is one of this machine, whose page leads on to the provider: so the id token is in no
    /// argument of a program, and on no screen.
    package let url: String
    /// The address at the provider, which contains the id token.
    package let target: Secret
    /// Whether the provider is asked to redirect the browser to this machine afterwards.
    package let expectsRedirect: Bool
    private let startPath: String
    private let redirectPath: String
    private let state: Secret

    fileprivate init(
        _ exchange: EndSessionExchange,
        at origin: String,
        port: Int,
        client: String?,
        idToken: Secret?,
        random: () -> String
    ) {
        let home = "http://127.0.0.1:\(port)"
        let state = random()
        var pairs: [(name: String, value: String)] = []
        if let idToken { pairs.append(("id_token_hint", idToken.reveal())) }
        if let client { pairs.append((ClientAuthentication.idName, client)) }
        if exchange.redirectPort != nil {
            pairs.append(("post_logout_redirect_uri", home + exchange.redirectPath))
            pairs.append(("state", state))
        }
        let query = pairs.isEmpty ? [] : [FormEncoding.encode(pairs)]
        let request = exchange.request
        target = Secret(origin + request.query.target(request.path, and: query))
        startPath = "/end-session/" + random()
        url = home + startPath
        redirectPath = exchange.redirectPath
        expectsRedirect = exchange.redirectPort != nil
        self.state = Secret(state)
    }

    /// Reads a request that a browser made to this machine; `nil` if it is none of this attempt.
    package func read(_ requested: String) -> EndSessionStep? {
        if requested == startPath { return .start(target, isLast: !expectsRedirect) }
        let halves = requested.parts(at: "?", limit: 2, keepsEmpty: true)
        guard expectsRedirect, halves.first.map(String.init) == redirectPath else { return nil }
        let items = FormEncoding.decode(halves.count > 1 ? halves[1] : "")
        // `Secret` compares in constant time.
        guard let given = items["state"], Secret(given) == state else { return .otherState }
        return .ended
    }
}

/// The meaning of a browser's request during the end of a provider's session.
package enum EndSessionStep: Sendable, Hashable {
    /// The browser is to go on to this address at the provider.
    case start(Secret, isLast: Bool)
    /// The provider has redirected the browser: it has ended its session.
    case ended
    /// A redirect that does not belong to this attempt.
    case otherState
}
