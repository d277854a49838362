package import Tokens

/// How one backend speaks: where tokens go, what comes back, which answers end a session.
///
/// Read in both directions: the client builds requests and reads answers, the sandbox reads
/// requests and writes answers.
package struct Dialect: Sendable, Equatable {
    /// Lower-case, unique: what a person types.
    package var name: String
    /// What is special about it, in one line.
    package var title: String
    package var rotation: Rotation
    package var tokens: TokenFormats
    package var lifetimes: DocumentedLifetimes
    package var policy: DialectPolicy

    /// Where a backend's own message stand in its answers, the best place first.
    var errorMessagePaths: [String]
    var login: LoginExchange
    /// The other ways to log in that the file knows: the sandbox takes each of them.
    var otherLogins: [OtherLogin] = []
    var refresh: RefreshExchange?
    var logouts: [LogoutScope: LogoutExchange]
    var protected: ProtectedExchange?
    var sessions: SessionsExchange?
    var feed: FeedExchange?
    var answers: ResponseTemplates
}

extension Dialect {
    /// In the order in which a person is asked for them; the client's own come last.
    package var credentials: [CredentialSpec] {
        let own = login.credentials.map(\.name)
        return login.credentials
            + clientCredentials.filter { !own.contains($0) }
            .map { CredentialSpec(name: $0) }
    }

    /// The names of what the client proves itself with, in any exchange: needed without a person.
    package var clientCredentials: [String] {
        let shapes = [login.request, refresh?.request].compactMap(\.self)
        let names = (shapes + logouts.values.flatMap(\.requests)).reduce(into: Set<String>()) {
            $0.formUnion($1.credentialNames)
        }
        return ClientAuthentication.basic.credentialNames.filter(names.contains)
    }

    /// What the requests hold besides that is probably a secret, because the file says it: by name.
    package var fixedSecrets: [(name: String, value: Secret)] {
        let end: RequestShape? = sessions?.end?.request
        let requests: [RequestShape?] =
            [login.request, refresh?.request, protected?.request, sessions?.request, end]
            + logouts.values.map(\.request)
        return requests.compactMap(\.self).flatMap(\.fixedSecrets)
    }

    /// False where only another login brings another access token.
    package var hasRefreshToken: Bool { refresh != nil && policy.renewal == .refresh }

    /// What the other ways to log in take and bring.
    package var otherLoginOptions: [LoginOption] { otherLogins.map(\.option) }

    /// The logouts that the backend has an endpoint for.
    package var logoutScopes: Set<LogoutScope> { Set(logouts.keys) }

    /// The logouts whose request holds nothing that tells whose session is meant.
    package var anonymousLogouts: Set<LogoutScope> {
        Set(logouts.filter(\.value.isAnonymous).keys)
    }

    /// Whether the backend has a logout whose request tells whose session is meant.
    package func namesSession(in scope: LogoutScope) -> Bool {
        logouts[scope]?.isAnonymous == false
    }

    /// Whether a refresh token is spent by its use even where the answer brings no other.
    package var refreshIsOneTime: Bool { refresh?.isOneTime ?? false }

    package var hasProtectedRequest: Bool { protected != nil }

    package var secondRefusal: SecondRefusal { protected?.secondRefusal ?? .keep }

    /// Whether the backend lists the user's active sessions.
    package var hasSessionsList: Bool { sessions != nil }

    package var hasFeed: Bool { feed != nil }

    /// How the feed goes over to a new token; `overlap` where there is no feed.
    package var feedSwitch: FeedSwitch { feed?.change ?? .overlap }

    /// This dialect with a feed: its own, or the sandbox's.
    ///
    /// - Parameter prefix: In front of the sandbox's path, such as `/voltyks`.
    /// - Returns: The dialect, changed or not.
    package func withSandboxFeed(under prefix: String = "") -> Dialect {
        guard feed == nil else { return self }
        var dialect = self
        dialect.feed = .sandbox
        dialect.feed?.path = prefix + FeedExchange.sandbox.path
        return dialect
    }

    /// This dialect with an end for each session that it lists: its own, or the sandbox's.
    ///
    /// The sandbox serves it for profiles that describe it; no built-in dialect asks for it.
    package func withSandboxSessionEnd() -> Dialect {
        guard let sessions, sessions.end == nil else { return self }
        var dialect = self
        dialect.sessions?.end = sessions.sandboxEnd
        return dialect
    }

    /// The paths that this dialect claims, whatever the method.
    package var paths: Set<String> {
        let requests =
            [login.request, refresh?.request, protected?.request, sessions?.request]
            + logouts.values.flatMap(\.requests)
        return Set((requests.map { $0?.path } + [feed?.path]).compactMap(\.self))
    }

    /// Whether a dial can ask for what came after a message.
    package var feedResumes: Bool { feed?.since != nil }
}
