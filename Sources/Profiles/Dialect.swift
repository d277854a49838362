package import Basics

/// The protocol of one backend: the places of tokens, the format of responses, and those that end a
/// session.
///
/// It is used in both directions: the client writes requests and parses responses, the sandbox
/// parses requests and writes responses.
package struct Dialect: Sendable, Equatable {
    /// The unique name in lower case that the user types.
    package var name: String
    /// A one-line description.
    package var title: String
    package var rotation: Rotation
    package var tokens: TokenFormats
    package var lifetimes: DocumentedLifetimes
    package var policy: DialectPolicy

    /// The places of a backend's own message in its responses, the preferred one first.
    var errorMessagePaths: [String]
    /// The client's id, or `nil` if it is one of the credentials.
    var clientID: String?
    /// The client's signature of the assertions that authenticate it, if it signs any.
    package var assertion = ClientAssertion()
    /// The resource that the tokens are for (RFC 8707), or `nil` if no request names one.
    package var resource: String?
    /// Whether the tokens are bound to a key of the client (RFC 9449).
    package var bindsTokens = false
    /// The values of answers that requests send again, by name.
    var captures: [Capture] = []
    /// The request by which a client without an id gets one, or `nil` if it has to have one.
    var registration: RegistrationExchange?
    var login: LoginExchange
    /// The other ways to log in that the file defines, each of which the sandbox accepts.
    var otherLogins: [OtherLogin] = []
    var refresh: RefreshExchange?
    var logouts: [LogoutScope: LogoutExchange]
    /// The address at which a browser ends the provider's own session, or `nil` if there is none.
    var endSession: EndSessionExchange?
    var protected: ProtectedExchange?
    var sessions: SessionsExchange?
    var introspection: IntrospectionExchange?
    var userinfo: UserinfoExchange?
    var feed: FeedExchange?
    var answers: ResponseTemplates
    /// What is recognized where the dialect says nothing, if the user adds to what is built in.
    package var extendedRecognition: Recognition?
    /// What is recognized where the dialect says nothing.
    ///
    /// What is built in is read for the first answer, and not before the first frame.
    package var recognition: Recognition { extendedRecognition ?? .builtIn }
}

extension Dialect {
    /// The credentials in the order in which the user is asked for them; the client's own come
    /// last.
    package var credentials: [CredentialSpec] {
        let own = login.credentials.map(\.name)
        return login.credentials
            + clientCredentials.filter { !own.contains($0) }
            .map { CredentialSpec(name: $0) }
    }

    /// The names of the client's own credentials in any exchange, which must be available without
    /// the user.
    package var clientCredentials: [String] {
        let names = clientShapes.reduce(into: Set<String>()) { $0.formUnion($1.credentialNames) }
        return ClientAuthentication.basic.credentialNames.filter { name in
            names.contains(name) && (clientID == nil || name != ClientAuthentication.idName)
        }
    }

    /// The requests in which the client may authenticate itself.
    var clientShapes: [RequestShape] {
        let shapes = [
            login.request, login.authorization?.pushed?.request, login.device?.request,
            refresh?.request, introspection?.request,
        ]
        return shapes.compactMap(\.self) + logouts.values.flatMap(\.requests)
    }

    /// Returns the values with the client's id, if the file defines it.
    func withClientID(_ values: [String: Secret]) -> [String: Secret] {
        guard let clientID else { return values }
        return values.merging([ClientAuthentication.idName: Secret(clientID)]) { own, _ in own }
    }

    /// The probable secrets among the fixed contents of requests, by name.
    package var fixedSecrets: [(name: String, value: Secret)] {
        requests.flatMap(\.fixedSecrets)
    }

    /// The requests of the client itself, but for the feed's.
    var requests: [RequestShape] {
        let shapes: [RequestShape?] = [
            registration?.request, login.request, login.authorization?.pushed?.request,
            login.device?.request, refresh?.request, protected?.request, sessions?.request,
            sessions?.end?.request, introspection?.request, userinfo?.request,
        ]
        return shapes.compactMap(\.self) + logouts.values.flatMap(\.requests)
    }

    /// Whether the backend issues refresh tokens; if not, only another login yields another access
    /// token.
    package var hasRefreshToken: Bool { refresh != nil && policy.renewal == .refresh }

    /// The credentials of the other ways to log in.
    package var otherLoginOptions: [LoginOption] { otherLogins.map(\.option) }

    /// The logouts that the backend has an endpoint for.
    package var logoutScopes: Set<LogoutScope> { Set(logouts.keys) }

    /// The logouts whose request does not identify a session.
    package var anonymousLogouts: Set<LogoutScope> {
        Set(logouts.filter(\.value.isAnonymous).keys)
    }

    /// Returns whether the backend has a logout whose request identifies the session.
    package func namesSession(in scope: LogoutScope) -> Bool {
        logoutNeeds[scope]?.isAnonymous == false
    }

    /// Whether a refresh token is spent by its use even if the response contains no other.
    package var refreshIsOneTime: Bool { refresh?.isOneTime ?? false }

    /// The documented response to a refresh token that is used twice.
    package var reuse: DocumentedReuse { refresh?.reuse ?? DocumentedReuse() }

    package var hasProtectedRequest: Bool { protected != nil }

    package var secondRefusal: SecondRefusal { protected?.secondRefusal ?? .keep }

    /// The place in a response where the access token's lifetime is stated in seconds, or `nil` if
    /// there is none.
    package var accessLifetimePlace: String? {
        login.reading.accessExpiry
            .first { [.seconds, .secondsUnlessZero].contains($0.kind) }?.place.text
    }

    /// Whether the backend lists the user's active sessions.
    package var hasSessionsList: Bool { sessions != nil }

    package var hasFeed: Bool { feed != nil }

    /// The protocol of the feed, or `nil` if there is none.
    package var feedKind: FeedKind? { feed?.kind }

    /// The seconds without a byte after which the feed is lost, or `nil` for no limit.
    package var feedSilenceLimit: Double? { feed?.silenceLimit }

    /// The feed's way to change to a new token; `overlap` if there is no feed.
    package var feedSwitch: FeedSwitch { feed?.change ?? .overlap }

    /// Returns this dialect with a feed: its own, or the sandbox's.
    ///
    /// - Parameter prefix: The prefix of the sandbox's path, such as `/voltyks`.
    /// - Returns: The dialect, unchanged if it has a feed.
    package func withSandboxFeed(under prefix: String = "") -> Dialect {
        guard feed == nil else { return self }
        var dialect = self
        dialect.feed = .sandbox
        dialect.feed?.path = prefix + FeedExchange.sandbox.path
        return dialect
    }

    /// Returns this dialect with the sandbox's feed as an event stream in place of its own.
    package func withSandboxStream() -> Dialect {
        var dialect = self
        dialect.feed = .sandboxStream
        return dialect
    }

    /// Returns this dialect with a request to end a session from its list: its own, or the
    /// sandbox's.
    ///
    /// The sandbox serves it for profiles that define it; no built-in dialect uses it.
    package func withSandboxSessionEnd() -> Dialect {
        guard let sessions, sessions.end == nil else { return self }
        var dialect = self
        dialect.sessions?.end = sessions.sandboxEnd
        return dialect
    }

    /// The paths of this dialect, for all methods.
    package var paths: Set<String> {
        let requests =
            [
                registration?.request, login.request, login.authorization?.request,
                login.authorization?.pushed?.request, login.device?.request, refresh?.request,
                protected?.request, sessions?.request, introspection?.request,
                userinfo?.request, endSession?.request,
            ] + logouts.values.flatMap(\.requests)
        return Set((requests.map { $0?.path } + [feed?.path]).compactMap(\.self))
    }

    /// The origins that the file names besides the base URL, with the exchange that names each.
    package var namedOrigins: [(exchange: String, origin: String)] {
        var requests: [(String, RequestShape?)] = [
            (RegistrationExchange.key, registration?.request),
            ("login", login.request), ("login.authorize", login.authorization?.request),
            ("login.authorize.pushed", login.authorization?.pushed?.request),
            ("login.device", login.device?.request),
            ("refresh", refresh?.request),
            ("protected", protected?.request), ("sessions", sessions?.request),
            ("sessions.end", sessions?.end?.request),
            ("introspection", introspection?.request), ("userinfo", userinfo?.request),
            ("logout.end_session", endSession?.request),
        ]
        for (scope, logout) in logouts.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            requests += logout.requests.map { ("logout.\(scope.rawValue)", $0) }
        }
        let origins = requests.map { ($0, $1?.origin) } + [("feed", feed?.origin)]
        return origins.compactMap { exchange, origin in origin.map { (exchange, $0) } }
    }

    /// Whether the clock of the server that answered is that of the tokens' issuer.
    package func isIssuer(_ request: WireRequest) -> Bool {
        request.origin == login.request.origin || request.origin == refresh?.request.origin
    }

    /// The origin that must be reachable for a renewal, or `nil` for that of the base URL.
    package var renewalOrigin: String? {
        hasRefreshToken ? refresh?.request.origin : login.request.origin
    }

    /// Whether a dial can request the messages that follow a given one.
    package var feedResumes: Bool { feed?.resumes ?? false }
}
