/// Every table of a profile's file with the keys that the parser accepts in it, for documentation
/// and its test.
enum ProfileSchema {
    struct Table: Sendable, Hashable {
        /// The dotted path, empty at the top of the file; `NAME` stands for any name.
        let path: String
        let keys: [String]
    }

    /// The tables in the order in which a user writes them.
    static let tables: [Table] =
        [
            Table(path: "", keys: Profile.keys),
            Table(path: ClientAssertion.tableName, keys: ClientAssertion.keys),
            Table(path: Capture.key, keys: ["NAME"]),
            Table(path: "tokens", keys: TokenFormats.keys),
            Table(path: "lifetimes", keys: DocumentedLifetimes.keys),
            Table(path: "policy", keys: DialectPolicy.keys),
            Table(path: "credentials", keys: [Profile.commandKey(of: "NAME")]),
            Table(path: "grants.NAME", keys: GrantChoice.parts),
            Table(path: RegistrationExchange.key, keys: RegistrationExchange.keys),
            Table(path: "login", keys: LoginExchange.keys),
            Table(path: "login.authorize", keys: AuthorizationExchange.keys),
            Table(path: "login.authorize.pushed", keys: PushedExchange.keys),
            Table(path: "login.device", keys: DeviceExchange.keys),
            Table(path: "login.assertion", keys: GrantAssertion.keys),
            Table(path: "login.id_token", keys: IDTokenExchange.keyNames),
            Table(path: "login.response", keys: TokenParser.keys),
            Table(path: "refresh", keys: RefreshExchange.keys),
            Table(path: "refresh.response", keys: TokenParser.keys),
            Table(path: "refresh.terminal", keys: ResponseRule.terminalKeys),
            Table(path: "refresh.client_faults", keys: ResponseRule.clientFaultKeys),
        ] + logout + [
            Table(path: "protected", keys: ProtectedExchange.keys),
            Table(path: "protected.refused", keys: ResponseRule.refusedKeys),
            Table(path: "sessions", keys: SessionsExchange.keys),
            Table(path: "sessions.end", keys: SessionEndExchange.keys),
            Table(path: "introspection", keys: IntrospectionExchange.keys),
            Table(path: "userinfo", keys: UserinfoExchange.keys),
            Table(path: "feed", keys: FeedExchange.keys),
            Table(path: "feed.control", keys: FeedExchange.controlKeys),
            Table(path: "feed.refused", keys: ResponseRule.refusedKeys),
            Table(path: "feed.say", keys: FeedScript.sayKeys),
            Table(path: "feed.expect", keys: FeedScript.expectationKeys),
            Table(path: "feed.values", keys: ["NAME"]),
            Table(path: "feed.negotiate", keys: NegotiationExchange.keys),
            Table(path: "feed.negotiate.parameters", keys: ["NAME"]),
        ] + answers

    private static var logout: [Table] {
        let whole = [
            Table(path: "logout", keys: Dialect.logoutKeys),
            Table(
                path: "logout.\(EndSessionExchange.tableName)",
                keys: EndSessionExchange.keys
            ),
        ]
        return whole
            + LogoutScope.allCases.flatMap { scope in
                let path = "logout.\(scope.rawValue)"
                return [
                    Table(path: path, keys: LogoutExchange.keys),
                    Table(
                        path: "\(path).without_refresh",
                        keys: LogoutExchange.AccessLogout.keys
                    ),
                ]
            }
    }

    /// The tables of the sandbox's responses.
    private static var answers: [Table] {
        let refusals = RefreshRefusalCause.allCases.map(\.rawValue)
        let rejections = UnauthorizedCause.allCases.map(\.rawValue)
        let path = "responses"
        return [Table(path: path, keys: ResponseTemplates.keys)]
            + ResponseTemplates.keys.flatMap { key in
                let causes =
                    switch key {
                    case "refresh_refused": refusals
                    case "unauthorized": rejections
                    default: [String]()
                    }
                let own =
                    key == "sessions"
                    ? ResponseTemplates.sessionsKeys : ResponseTemplate.keys + causes
                return [Table(path: "\(path).\(key)", keys: own)]
                    + causes.map {
                        Table(path: "\(path).\(key).\($0)", keys: ResponseTemplate.keys)
                    }
            }
    }
}
