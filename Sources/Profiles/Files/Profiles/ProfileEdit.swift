/// The effect on a session of an edit of its profile while it runs.
///
/// What its requests and its policy are made of is used from now on. Where tokens are, where they go
/// and how they are kept belongs to the session that was begun with it.
package struct ProfileEdit: Sendable, Equatable {
    /// The profile that is in use from now on.
    package private(set) var profile: Profile
    /// The keys of the file that are in use from now on.
    package private(set) var adopted: [String] = []
    /// The keys of the file that are in use after a new start only.
    package private(set) var postponed: [String] = []
    private let after: Profile

    /// - Parameters:
    ///   - used: The profile that is in use.
    ///   - edited: The profile as its files define it now.
    package init(of used: Profile, to edited: Profile) {
        profile = used
        after = edited
        compareSessions()
        let isSame = postponed.isEmpty
        let (old, new) = (used.dialect, edited.dialect)
        take("title", \.dialect.title)
        take("error_message", \.dialect.errorMessagePaths)
        take(Dialect.resourceName, \.dialect.resource, if: isSame)
        take(
            "login",
            \.dialect.login,
            if: isSame && old.credentials == new.credentials && old.needsBrowser == new.needsBrowser
                && old.usesDeviceCode == new.usesDeviceCode
        )
        take("grants", \.dialect.otherLogins, if: isSame)
        take(
            "refresh",
            \.dialect.refresh,
            if: isSame && (old.refresh == nil) == (new.refresh == nil)
                && old.refreshIsOneTime == new.refreshIsOneTime
        )
        take("logout", \.dialect.logouts, if: isSame)
        take("protected", \.dialect.protected, if: isSame)
        take("sessions", \.dialect.sessions, if: isSame)
        take("introspection", \.dialect.introspection, if: isSame)
        take("userinfo", \.dialect.userinfo, if: isSame)
        take(
            "feed",
            \.dialect.feed,
            if: isSame && Self.isFollowed(old.feed, like: new.feed)
        )
        take("recognition", \.dialect.extendedRecognition)
        takePolicy()
        // The sandbox's, of which a session sees nothing.
        profile.dialect.answers = edited.dialect.answers
        profile.files = edited.files
        profile.writer = edited.writer
        profile.warnings = edited.warnings
    }

    /// Whether sockets that are open go on with the other feed.
    ///
    /// Swift 6.3 fails to optimize these comparisons as a part of the initializer.
    @inline(never)
    private static func isFollowed(_ feed: FeedExchange?, like other: FeedExchange?) -> Bool {
        feed?.kind == other?.kind && feed?.change == other?.change
            && feed?.resumes == other?.resumes && feed?.silenceLimit == other?.silenceLimit
            && feed?.script == other?.script
    }

    package var isEmpty: Bool { adopted.isEmpty && postponed.isEmpty }

    /// What a session is begun with.
    private mutating func compareSessions() {
        postpone("name", \.name)
        postpone("extends", \.dialect.name)
        postpone("base_url", \.baseURL)
        postpone("issuer", \.issuer)
        postpone("vault", \.vault)
        postpone("retention", \.keep)
        postpone("pins or client_certificate", \.transport)
        postpone("credentials", \.credentialCommands)
        postpone("rotation", \.dialect.rotation)
        postpone("tokens", \.dialect.tokens)
        postpone("lifetimes", \.dialect.lifetimes)
        postpone("client_id", \.dialect.clientID)
        postpone(RegistrationExchange.key, \.dialect.registration)
        postpone(ClientAssertion.tableName, \.dialect.assertion)
        postpone("dpop", \.dialect.bindsTokens)
        postpone(Capture.key, \.dialect.captures)
        let origins = [profile, after].map { profile in
            profile.dialect.namedOrigins.map { "\($0.exchange) \($0.origin)" }.sorted()
        }
        if origins[0] != origins[1] { postponed.append("the address of a request") }
    }

    private mutating func takePolicy() {
        let old = profile.dialect.policy
        var policy = after.dialect.policy
        postpone("policy.renew", \.dialect.policy.renewal)
        postpone("policy.pause_on_blur", \.dialect.policy.pausesInBackground)
        postpone("policy.lock_after", \.dialect.policy.lockAfter)
        postpone("policy.erase_on_logout", \.dialect.policy.erasesOnLogout)
        policy.renewal = old.renewal
        policy.pausesInBackground = old.pausesInBackground
        policy.lockAfter = old.lockAfter
        policy.erasesOnLogout = old.erasesOnLogout
        guard policy != old else { return }
        profile.dialect.policy = policy
        adopted.append("policy")
    }

    private mutating func take<Part: Equatable>(
        _ key: String,
        _ path: WritableKeyPath<Profile, Part>,
        if isPossible: Bool = true
    ) {
        guard isPossible else { return postpone(key, path) }
        guard profile[keyPath: path] != after[keyPath: path] else { return }
        profile[keyPath: path] = after[keyPath: path]
        adopted.append(key)
    }

    private mutating func postpone<Part: Equatable>(
        _ key: String,
        _ path: WritableKeyPath<Profile, Part>
    ) {
        if profile[keyPath: path] != after[keyPath: path] { postponed.append(key) }
    }
}

extension Dialect {
    /// Returns this dialect with the feed of another one, if it has none itself.
    package func keepingFeed(of other: Dialect) -> Dialect {
        var dialect = self
        dialect.feed = feed ?? other.feed
        return dialect
    }
}
