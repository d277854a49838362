/// The effect of a fault.
///
/// The built-in backend does it in `Fault+Exchange.swift` and `Fault+Feed.swift`, authtop's own client
/// in `ClientMachine+Experiments.swift`, and the proxy in `ArmedExperiment.swift`, `FaultPlan.swift`
/// for the bodies of answers, and `ExperimentInjector.swift` for open sockets.
package enum FaultEffect: Sendable, Hashable {
    /// An answer in place of the backend's, which does not get the request.
    package enum Answer: Sendable, Hashable {
        /// With the status that is set, or else one of these.
        case status([Int])
        /// 429, with the seconds that are set in `Retry-After`.
        case limit
        /// A web page, as by a network that wants a login.
        case page
    }

    /// What a client sends that it should not.
    package enum Sent: Sendable, Hashable {
        /// The protected request with an access token that has expired.
        case expiredAccess
        /// The protected request with the access token, one character of it changed.
        case corruptedAccess
        /// The refresh token that the last rotation replaced.
        case replacedRefresh
        /// The refresh token in use, twice at once.
        case refreshTwice
    }

    /// A rule of an authorization server or of a resource.
    package enum Rule: Sendable, Hashable {
        /// A refresh replaces the refresh token (RFC 9700 section 4.14.2).
        case rotation
        /// A replaced refresh token is not accepted again.
        case singleUse
        /// The audience of an access token is the resource of its session (RFC 8707 section 2.2).
        case audience
        /// A refresh does not reduce the scope (RFC 6749 section 6).
        case scope
        /// A request whose proof has no valid nonce changes nothing (RFC 9449 section 8).
        case nonce
        /// The metadata of a resource name it (RFC 9728 section 3.3).
        case resource
        /// The metadata of an authorization server name its issuer (RFC 8414 section 3.3).
        case issuer
        /// PKCE is offered (RFC 7636).
        case codeChallenge
        /// Clients are registered (RFC 7591).
        case registration
    }

    /// The backend breaks a rule.
    case breach(Rule)

    // MARK: - Requests

    case send(Sent)
    /// The request is lost.
    case loseRequest
    case answer(Answer)
    /// The access token is refused: by a backend each time, with an app until it has renewed it.
    case refuseAccess
    /// The same with an app, and the first refusals come together.
    case refuseAccessAtOnce
    /// A refresh is refused for good.
    case refuseRefresh

    // MARK: - Answers

    /// The backend acts, and its answer is lost.
    case loseAnswer
    case delayAnswer
    /// The body ends early.
    case cutAnswer
    /// The backend acts, and the error of a gateway takes the place of its answer.
    case replaceAnswer
    /// The backend acts, and the status of its answer is that of an error.
    case spoilStatus
    case shiftDate
    /// The answer to a refresh has no refresh token.
    case removeRefreshToken
    /// Access tokens live a number of seconds, whatever the backend says.
    case shortenLife
    /// The session ends once the request has been answered.
    case revokeSession

    // MARK: - Sockets

    case refuseFeed
    /// The upgrade succeeds, and a close frame follows at once.
    case closeFeedAtOnce
    case closeFeed
    /// Nothing more comes through an open socket.
    case silenceFeed
    case repeatMessage
    /// A socket is closed when its token expires.
    case closeFeedAtExpiry
}
