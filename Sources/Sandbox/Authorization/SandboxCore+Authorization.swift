import Backend
import Basics
import Profiles
import Synchronization

/// The login that a browser is sent to.
extension SandboxCore {
    /// Responds to a request for an authorization code.
    ///
    /// - Parameters:
    ///   - requested: The request.
    ///   - path: The path and the query as received, to which the form is sent.
    ///   - issuer: The issuer that the redirect names (RFC 9207).
    /// - Returns: The form, a redirect, or an error.
    func authorize(
        _ requested: AuthorizationQuery,
        at path: String,
        issuer: String
    ) -> WireResponse {
        var query = requested
        if let reference = requested.requestURI {
            let now = now
            let pushed = locked.withLock {
                $0.backend.pushedQuery(reference, of: requested.clientID, at: now)
            }
            guard let pushed else {
                return .page(
                    400,
                    SignInPage.problem("The request_uri is not known to this client, or is over.")
                )
            }
            query = requested.filled(by: pushed)
        }
        // Without a known client and redirect, the browser must not be redirected (section 4.1.2.1
        // of RFC 6749).
        guard locked.withLock({ $0.backend.isClient(query.clientID) }) else {
            return .page(400, SignInPage.problem("The client_id is not known: use sandbox."))
        }
        guard query.isForThisMachine else {
            return .page(
                400,
                SignInPage.problem("The redirect_uri is not a port and path of this machine.")
            )
        }
        func redirect(_ parameters: [(name: String, value: String)]) -> WireResponse {
            let target = query.redirect(parameters + [(name: "iss", value: issuer)])
            return WireResponse(status: 302, headers: [WireHeader("Location", target)])
        }
        func fail(_ error: String, _ description: String) -> WireResponse {
            redirect([(name: "error", value: error), ("error_description", description)])
        }
        guard query.responseType == "code" else {
            return fail("unsupported_response_type", "expected response_type=code")
        }
        guard !query.challenge.isEmpty, query.challengeMethod == "S256" else {
            return fail("invalid_request", "expected a code_challenge with the method S256")
        }
        let user: BackendUser?
        switch query.decision {
        case .deny: return fail("access_denied", "the user has denied the sign-in")
        case nil: return .page(200, SignInPage.form(to: path, notice: nil))
        case .approve: user = locked.withLock { $0.backend.firstUser }
        case .signIn:
            let name = query.form["username"] ?? ""
            let password = query.form["password"] ?? ""
            user = locked.withLock { $0.backend.user(named: name, password: password) }
        }
        guard let user else {
            return .page(403, SignInPage.form(to: path, notice: "Wrong user name or password."))
        }
        let now = now
        let code = locked.withLock {
            $0.backend.issueCode(for: query, pushedAs: requested.requestURI, to: user, at: now)
        }
        return redirect([(name: "code", value: code.reveal())])
    }
}

extension SandboxCore {
    /// Responds to a client that pushes the parameters of a login (RFC 9126).
    func push(
        _ query: AuthorizationQuery,
        from credentials: [String: Secret],
        in request: WireRequest
    ) -> WireResponse {
        let recognized = RecognizedRequest.login(credentials: credentials)
        let verdict = checkProof(in: request, of: recognized)
        if let refusal = refusal(verdict, of: recognized) { return refusal }
        let key: String? = if case .valid(let key) = verdict { key } else { nil }
        let now = now
        do throws(PushRefusal) {
            let reference = try locked.withLock { state throws(PushRefusal) in
                try state.backend.push(query, from: credentials, provenBy: key, at: now)
            }
            return .json(
                [
                    "request_uri": .string(reference),
                    "expires_in": .integer(Int64(AuthBackend.pushedLifetime)),
                ],
                status: 201
            )
        } catch {
            switch error {
            case .unknownClient: return .json(["error": "invalid_client"], status: 401)
            case .invalid(let reason):
                return .json(
                    ["error": "invalid_request", "error_description": .string(reason)],
                    status: 400
                )
            }
        }
    }

    /// Responds to a browser that ends the provider's session: the sandbox has none, since it sets no
    /// cookie, so that there is nothing to end but the page.
    func endSession(_ query: EndSessionQuery, at path: String) -> WireResponse {
        guard query.isForThisMachine else {
            return .page(
                400,
                SignInPage.problem(
                    "The post_logout_redirect_uri is not a port and path of this machine."
                )
            )
        }
        guard query.isConfirmed else { return .page(200, SignInPage.logoutForm(to: path)) }
        guard let target = query.redirect else {
            return .page(200, SignInPage.problem("Logged out. You can close this window."))
        }
        return WireResponse(status: 302, headers: [WireHeader("Location", target)])
    }
}

/// The pages of a login.
enum SignInPage {
    static func form(to path: String, notice: String?) -> String {
        page(
            """
            <h1>Sign in to the sandbox</h1>
            <p>authtop requests access. \(HTMLPage.escaped(notice ?? ""))</p>
            <form method="post" action="\(HTMLPage.escaped(path))">
            <p><label>User name <input name="username" value="sandbox"></label></p>
            <p><label>Password <input name="password" type="password" value="password"></label></p>
            <p><button name="sandbox" value="sign-in">Sign in</button>
            <button name="sandbox" value="deny">Deny</button></p>
            </form>
            """
        )
    }

    static func deviceForm(code: String, notice: String?) -> String {
        page(
            """
            <h1>Connect a device</h1>
            <p>A device requests access. \(HTMLPage.escaped(notice ?? ""))</p>
            <form method="post">
            <p><label>Code <input name="user_code" value="\(HTMLPage.escaped(code))"></label></p>
            <p><label>User name <input name="username" value="sandbox"></label></p>
            <p><label>Password <input name="password" type="password" value="password"></label></p>
            <p><button name="sandbox" value="sign-in">Sign in</button>
            <button name="sandbox" value="deny">Deny</button></p>
            </form>
            """
        )
    }

    static func logoutForm(to path: String) -> String {
        page(
            """
            <h1>Log out of the sandbox</h1>
            <form method="post" action="\(HTMLPage.escaped(path))">
            <p><button name="sandbox" value="\(EndSessionQuery.confirmation)">Log out</button></p>
            </form>
            """
        )
    }

    static func problem(_ text: String) -> String { page("<p>\(HTMLPage.escaped(text))</p>") }

    private static func page(_ body: String) -> String {
        HTMLPage.html(title: "authtop sandbox", body: body)
    }
}

extension WireResponse {
    /// Returns a page without scripts.
    static func page(_ status: Int, _ html: String) -> WireResponse {
        WireResponse(
            status: status,
            headers: [
                WireHeader("Content-Type", "text/html; charset=utf-8"),
                WireHeader("Cache-Control", "no-store"),
                WireHeader(
                    "Content-Security-Policy",
                    "default-src 'none'; style-src 'unsafe-inline'"
                ),
            ],
            body: Array(html.utf8)
        )
    }
}
