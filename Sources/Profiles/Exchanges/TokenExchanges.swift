package import Basics

/// The exchange of the user's credentials for the first pair of tokens.
struct LoginExchange: Sendable, Hashable {
    var request: RequestShape
    /// The credentials in the order in which the user is asked for them.
    var credentials: [CredentialSpec]
    var reading: TokenParser
    /// The credential that is a refresh token, which stays valid if the response contains no other
    /// (RFC 6749 section 6).
    var kept: String?
    /// The statuses that mean that the credentials were rejected.
    var rejected: Set<Int> = [400, 401, 403, 422]
    /// The browser's request that precedes it, or `nil` if a login needs no browser.
    var authorization: AuthorizationExchange?
    /// The request for a code that precedes it, or `nil` if a login needs none.
    var device: DeviceExchange?
    /// The assertion that the client signs for it, or `nil` if it signs none.
    var assertion: GrantAssertion?
    /// The statements that its id token must contain, or `nil` if the file does not say so.
    var idToken: IDTokenExchange?
}

/// A way to log in that the file defines but does not select.
struct OtherLogin: Sendable, Hashable {
    var exchange: LoginExchange
    var policy: DialectPolicy

    var option: LoginOption {
        LoginOption(
            credentials: exchange.request.credentialNames,
            bringsRefreshToken: policy.renewal == .refresh
        )
    }
}

/// The exchange of a refresh token for the next pair, with the responses that end the session.
struct RefreshExchange: Sendable, Hashable {
    var request: RequestShape
    var place: TokenLocation
    var reading: TokenParser
    /// The responses that end the session.
    var terminal: [ResponseRule]
    /// The responses that mean that the request is invalid, whatever their status.
    var clientFaults: [ResponseRule] = []
    /// Whether a token is spent by its use even if the response contains no other.
    var isOneTime = false
    var reuse = DocumentedReuse()
}

/// The requests for tokens.
extension Dialect {
    /// Returns the request with the credentials by the names in `credentials`, and with what a
    /// login in the browser has granted; any others are ignored.
    package func loginRequest(
        _ credentials: [String: Secret],
        grant: AuthorizationGrant? = nil
    ) throws(MissingCredential) -> WireRequest {
        for wanted in self.credentials where credentials[wanted.name]?.isEmpty ?? true {
            throw MissingCredential(name: wanted.name)
        }
        let granted = credentials.merging(grant?.values ?? [:]) { _, granted in granted }
        return login.request.filled(values: withClientID(granted)).acceptingJSON
    }

    /// Returns the request, or one without the token if the dialect has no refresh.
    ///
    /// Only the client's own credentials are sent, if the dialect requires them.
    package func refreshRequest(
        _ token: RefreshToken,
        credentials: [String: Secret] = [:],
        captured: CapturedValues = .none
    ) -> WireRequest {
        guard let refresh else {
            return WireRequest(method: "POST", target: login.request.path)
        }
        return refresh.request.filled(
            values: withClientID(credentials),
            captured: captured,
            tokens: [(refresh.place, token.secret)]
        )
        .acceptingJSON
    }

    /// The same for the traffic of another client, which may know how to send a token of any type.
    package var forAnotherClient: Dialect {
        var dialect = self
        dialect.login.reading.tokenType = []
        dialect.refresh?.reading.tokenType = []
        return dialect
    }

    /// Lets every request with the access token in `Authorization` name a scheme in place of Bearer,
    /// whatever type an answer states of the token.
    mutating func sendTokens(by scheme: String) {
        func replace(_ place: inout TokenLocation) {
            if place == .bearer { place = .scheme(scheme) }
        }
        login.reading.scheme = scheme
        refresh?.reading.scheme = scheme
        otherLogins = otherLogins.map { login in
            var login = login
            login.exchange.reading.scheme = scheme
            return login
        }
        sessions = sessions.map { sessions in
            var sessions = sessions
            replace(&sessions.place)
            sessions.end = sessions.end.map { end in
                var end = end
                replace(&end.place)
                return end
            }
            return sessions
        }
        userinfo = userinfo.map { userinfo in
            var userinfo = userinfo
            replace(&userinfo.place)
            return userinfo
        }
        logouts = logouts.mapValues { logout in
            var logout = logout
            if logout.accessPlace == .bearer { logout.accessPlace = .scheme(scheme) }
            if logout.withoutRefresh?.place == .bearer {
                logout.withoutRefresh?.place = .scheme(scheme)
            }
            return logout
        }
        if feed?.place == .request(.bearer) { feed?.place = .request(.scheme(scheme)) }
    }
}

extension WireRequest {
    /// The same with `Accept: application/json`, unless the profile says otherwise: some backends
    /// answer a request for tokens with a form without it.
    var acceptingJSON: WireRequest {
        guard header("Accept") == nil else { return self }
        var request = self
        request.headers.append(WireHeader("Accept", "application/json"))
        return request
    }
}
