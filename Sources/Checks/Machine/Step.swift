package import Dialects

/// A request of a probe, with its tokens named by where they came from: generation 1 is that of a
/// login, and each refresh that succeeds brings the next one.
package enum CheckAction: Sendable, Hashable {
    /// A request without credentials.
    case reach
    case login(family: Int)
    /// A refresh with the refresh token of a generation; the newest one if `nil`.
    case refresh(Int?, family: Int)
    /// The same refresh on two connections at once.
    case refreshTwice(Int?)
    /// A refresh whose answer the client does not read.
    case refreshUnread(Int?)
    /// A refresh with something that is no refresh token.
    case refreshWith(BadToken)
    /// A protected request with the access token of a generation; the newest one if `nil`.
    case use(Int?, family: Int)
    /// A protected request with something that is no access token.
    case useWith(BadToken)
    /// A logout with the newest tokens.
    case logout(LogoutScope, family: Int)
    /// A logout with tokens that the backend never issued.
    case logoutUnknown
}

/// What stands in the place of a token.
package enum BadToken: String, Sendable, Hashable, CaseIterable {
    case empty
    case malformed
    /// As long as a token of the backend, and of its form, but none of its own.
    case unknown
    /// An access token in place of a refresh token, or the reverse.
    case otherKind
}

/// One step of a lane.
package struct Step: Sendable, Hashable {
    package let action: CheckAction
    /// The earliest time: seconds after the end of an earlier step.
    let notBefore: Wait?

    struct Wait: Sendable, Hashable {
        let seconds: Double
        /// The number of the step in its lane, from 0.
        let step: Int
    }

    private init(_ action: CheckAction, notBefore: Wait? = nil) {
        self.action = action
        self.notBefore = notBefore
    }

    static let reach = Step(.reach)
    static let login = Step(.login(family: 0))
    static func login(family: Int) -> Step { Step(.login(family: family)) }
    static func refresh(_ generation: Int? = nil, family: Int = 0) -> Step {
        Step(.refresh(generation, family: family))
    }
    static func refreshTwice(_ generation: Int? = nil) -> Step { Step(.refreshTwice(generation)) }
    static func refreshUnread(_ generation: Int? = nil) -> Step {
        Step(.refreshUnread(generation))
    }
    static func refresh(with token: BadToken) -> Step { Step(.refreshWith(token)) }
    static func use(_ generation: Int? = nil, family: Int = 0) -> Step {
        Step(.use(generation, family: family))
    }
    static func use(with token: BadToken) -> Step { Step(.useWith(token)) }
    static func logout(_ scope: LogoutScope, family: Int = 0) -> Step {
        Step(.logout(scope, family: family))
    }
    static let logoutUnknown = Step(.logoutUnknown)

    /// Returns the step, not before so many seconds after the end of an earlier one.
    func after(_ seconds: Double, from step: Int) -> Step {
        Step(action, notBefore: Wait(seconds: seconds, step: step))
    }
}

extension CheckAction {
    /// Whether a repetition after an answer that decides nothing cannot change what is measured.
    var isRepeatable: Bool {
        switch self {
        case .reach, .login, .refreshWith, .use, .useWith, .logoutUnknown: true
        case .refresh, .refreshTwice, .refreshUnread, .logout: false
        }
    }

    /// Whether a refusal is expected.
    var hasBadToken: Bool {
        switch self {
        case .refreshWith, .useWith, .logoutUnknown: true
        case .reach, .login, .refresh, .refreshTwice, .refreshUnread, .use, .logout: false
        }
    }

    var isLogin: Bool {
        if case .login = self { true } else { false }
    }
}
