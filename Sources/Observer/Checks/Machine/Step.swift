package import Profiles

/// A request of a probe, with its tokens named by where they came from: generation 1 is that of a
/// login, and each refresh that succeeds brings the next one.
package enum CheckAction: Sendable, Hashable {
    /// A request without credentials.
    case reach
    case login(family: Int)
    /// A login whose secret credentials are wrong.
    case loginWrong
    /// A refresh with the refresh token of a generation; the newest one if `nil`.
    case refresh(Int?, family: Int)
    /// Two requests without credentials at once, which leave two open connections.
    case warm
    /// The same refresh on two connections at once.
    case refreshTwice(Int?)
    /// A refresh whose answer the client does not read.
    case refreshUnread(Int?)
    /// A refresh with something that is no refresh token.
    case refreshWith(BadToken)
    /// A refresh with the newest refresh token, but not for the resource of the tokens.
    case refreshFor(OtherResource)
    /// A refresh with the newest refresh token, whose proof has no nonce (RFC 9449 section 8).
    case refreshWithoutNonce
    /// A protected request with the access token of a generation; the newest one if `nil`.
    case use(Int?, family: Int)
    /// A protected request with something that is no access token.
    case useWith(BadToken)
    /// A logout with the newest tokens.
    case logout(LogoutScope, family: Int)
    /// A logout with tokens that the backend never issued.
    case logoutUnknown
    /// An upgrade for the feed with the access token of a generation; the newest one if `nil`.
    case dial(Int?)
    /// An upgrade for the feed with something that is no access token.
    case dialWith(BadToken)
    /// An upgrade for the feed with an access token that has expired.
    case dialExpired(Int)
    /// No request: a watch over the socket that a step has opened.
    case watch(step: Int, FeedOccasion)
}

/// The occasion after which a socket of the feed is watched.
package enum FeedOccasion: Sendable, Hashable {
    /// It was opened with a valid token.
    case opening
    case refresh
    /// The token that it was opened with has expired.
    case expiry
    case logout
    /// It was opened with a token that is not valid.
    case invalidToken

    /// The time for which it is watched, in seconds.
    var seconds: Double { self == .opening ? 1 : 5 }
}

/// What a refresh says in place of the resource of the tokens.
package enum OtherResource: String, Sendable, Hashable, CaseIterable {
    case omitted
    /// One that no server has (RFC 2606).
    case other
}

/// The value in the place of a token.
package enum BadToken: String, Sendable, Hashable, CaseIterable {
    case empty
    case malformed
    /// As long as a token of the backend, and of its form, but none of its own.
    case unknown
    /// An access token in place of a refresh token, or the reverse.
    case otherKind
}

/// One step of a probe session.
struct Step: Sendable, Hashable {
    let action: CheckAction
    /// The earliest time: seconds after the end of an earlier step.
    let notBefore: Wait?
    /// Whether the probe session is complete without an answer to it.
    private(set) var isOptional = false
    /// Whether the probes that run at the same time have to be over.
    private(set) var isLast = false

    struct Wait: Sendable, Hashable {
        let seconds: Double
        /// The number of the step in its probe session, from 0.
        let step: Int
    }

    private init(_ action: CheckAction, notBefore: Wait? = nil) {
        self.action = action
        self.notBefore = notBefore
    }

    static let reach = Step(.reach)
    static let login = Step(.login(family: 0))
    static let loginWrong = Step(.loginWrong)
    static func login(family: Int) -> Step { Step(.login(family: family)) }
    static func refresh(_ generation: Int? = nil, family: Int = 0) -> Step {
        Step(.refresh(generation, family: family))
    }
    static let warm = Step(.warm)
    static func refreshTwice(_ generation: Int? = nil) -> Step { Step(.refreshTwice(generation)) }
    static func refreshUnread(_ generation: Int? = nil) -> Step {
        Step(.refreshUnread(generation))
    }
    static func refresh(with token: BadToken) -> Step { Step(.refreshWith(token)) }
    static func refresh(for resource: OtherResource) -> Step { Step(.refreshFor(resource)) }
    static let refreshWithoutNonce = Step(.refreshWithoutNonce)
    static func use(_ generation: Int? = nil, family: Int = 0) -> Step {
        Step(.use(generation, family: family))
    }
    static func use(with token: BadToken) -> Step { Step(.useWith(token)) }
    static func logout(_ scope: LogoutScope, family: Int = 0) -> Step {
        Step(.logout(scope, family: family))
    }
    static let logoutUnknown = Step(.logoutUnknown)
    static func dial(_ generation: Int? = nil) -> Step { Step(.dial(generation)) }
    static func dial(with token: BadToken) -> Step { Step(.dialWith(token)) }
    static func dial(expired generation: Int) -> Step { Step(.dialExpired(generation)) }
    static func watch(_ step: Int, _ occasion: FeedOccasion) -> Step {
        Step(.watch(step: step, occasion))
    }

    /// Returns the step, not before this many seconds after the end of an earlier one.
    func after(_ seconds: Double, from step: Int) -> Step {
        Step(action, notBefore: Wait(seconds: seconds, step: step))
    }

    /// Returns the step, of which an answer that decides nothing is left at that.
    func optional() -> Step {
        var step = self
        step.isOptional = true
        return step
    }

    /// Returns the step, after the probes that run at the same time.
    func afterOthers() -> Step {
        var step = self
        step.isLast = true
        return step
    }
}

extension CheckAction {
    /// Whether a repetition after an answer that decides nothing cannot change what is measured.
    var isRepeatable: Bool {
        switch self {
        case .reach, .login, .loginWrong, .refreshWith, .use, .useWith, .logoutUnknown, .dial,
            .dialWith, .dialExpired:
            true
        case .warm, .refresh, .refreshTwice, .refreshUnread, .refreshFor,
            .refreshWithoutNonce, .logout, .watch:
            false
        }
    }

    /// Whether a refusal is expected.
    var hasBadToken: Bool {
        switch self {
        case .loginWrong, .refreshWith, .useWith, .logoutUnknown, .dialWith, .dialExpired: true
        case .reach, .login, .warm, .refresh, .refreshTwice, .refreshUnread, .refreshFor,
            .refreshWithoutNonce, .use, .logout, .dial, .watch:
            false
        }
    }

    /// Whether it sends a refresh token that the backend has issued.
    var isRefresh: Bool {
        switch self {
        case .refresh, .refreshTwice, .refreshUnread, .refreshFor, .refreshWithoutNonce: true
        case .reach, .login, .loginWrong, .warm, .refreshWith, .use, .useWith, .logout,
            .logoutUnknown, .dial, .dialWith, .dialExpired, .watch:
            false
        }
    }

    var isLogin: Bool {
        if case .login = self { true } else { false }
    }
}
