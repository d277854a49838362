import Backend
import Basics
import Profiles
import Synchronization

/// The login that a browser is sent to.
extension SandboxCore {
    /// Responds to a request for an authorization code.
    ///
    /// - Parameters:
    ///   - query: The request.
    ///   - path: The path and the query as received, to which the form is sent.
    ///   - issuer: The issuer that the redirect names (RFC 9207).
    /// - Returns: The form, a redirect, or an error.
    func authorize(_ query: AuthorizationQuery, at path: String, issuer: String) -> WireResponse {
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
        let code = locked.withLock { $0.backend.issueCode(for: query, to: user, at: now) }
        return redirect([(name: "code", value: code.reveal())])
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
