import Basics
package import Profiles

/// Why a session is in another state.
package enum StateChangeCause: Sendable, Hashable, Codable {
    /// A login began.
    case login
    /// A pair was imported.
    case imported
    case logout
    case nothingStored
    case vault(VaultProblem)
    /// A renewal began, or obtained a pair.
    case renewal(RefreshCause)
    /// A pair is in use that was not obtained by a renewal of this process.
    case pair(PairDescription.Origin)
    case failure(RefreshFailure)
    case ended(SignedOutReason)
    /// The access token may no longer be used.
    case accessTokenEnded
    /// The traffic of an app shows it; what the app had in mind is not known.
    case observed

    /// The cause as the field `cause` of an event has it.
    enum Code: String, Sendable, Hashable, CaseIterable {
        case login
        case imported
        case logout
        case nothingStored
        case vault
        case renewal
        case pair
        case failure
        case ended
        case accessTokenEnded
        case observed
    }

    var code: Code {
        switch self {
        case .login: .login
        case .imported: .imported
        case .logout: .logout
        case .nothingStored: .nothingStored
        case .vault: .vault
        case .renewal: .renewal
        case .pair: .pair
        case .failure: .failure
        case .ended: .ended
        case .accessTokenEnded: .accessTokenEnded
        case .observed: .observed
        }
    }
}

/// Why no usable answer to a refresh is known, so that its token may be spent.
package enum MissingAnswer: String, Sendable, Hashable, Codable, CaseIterable {
    /// No complete answer came.
    case lost
    /// It came, and could not be used.
    case unusable
    /// An experiment threw it away.
    case discarded
    /// An earlier run may have sent the refresh token, and has recorded no answer.
    case unrecorded
}

/// Why a refresh was started.
package enum RefreshCause: String, Sendable, Hashable, Codable, CaseIterable {
    case timer
    /// A protected request was answered with 401.
    case unauthorized
    /// A protected request was refused with another status, which the profile names.
    case tokenRefused
    /// The feed was refused.
    case feed
    /// The user requested it; `person` in JSON lines and recordings, whose names do not change.
    case user = "person"
    /// A caller needs a token and there is no usable one.
    case caller
    /// The answer to the last one was lost.
    case lostAnswer
    /// The last one was answered, and the answer could not be used.
    case unusableAnswer
    /// An earlier run may have sent one, and has recorded no answer.
    case unrecordedAnswer
    /// The last one failed.
    case retry
    /// An app started it; what the traffic shows of its reason belongs to the request.
    case app
}

extension RefreshCause {
    /// Whether a protected request was refused.
    package var isRefusal: Bool { self == .unauthorized || self == .tokenRefused }

    /// Whether an earlier attempt that failed is repeated.
    package var isRepetition: Bool {
        switch self {
        case .retry, .lostAnswer, .unusableAnswer, .unrecordedAnswer: true
        case .timer, .unauthorized, .tokenRefused, .feed, .caller, .app, .user: false
        }
    }
}

/// The purpose of an exchange, for the request log.
package enum RequestCause: Sendable, Hashable, Codable {
    case login
    case refresh(RefreshCause)
    /// A refresh whose session ended, or was renewed by another process, before the response.
    case abandonedRefresh
    case logout(LogoutScope)
    /// One of the automatic requests, which are this number of seconds apart.
    case interval(seconds: Double)
    /// The user requested it.
    case user
    /// The user's own request.
    case custom
    case experiment(Fault)
    /// An app sent it.
    case observed(ObservedCause)

    /// The names in recordings, which stay when those of the cases change.
    private enum CodingKeys: String, CodingKey {
        case login, refresh, abandonedRefresh, logout, interval
        case user = "person"
        case custom, experiment, observed
    }

    /// The cause as the field `cause` of an event has it.
    enum Code: String, Sendable, Hashable, CaseIterable {
        case login
        case refresh
        case abandonedRefresh
        case logout
        case interval
        case user = "person"
        case custom
        case experiment
        case observed
    }

    var code: Code {
        switch self {
        case .login: .login
        case .refresh: .refresh
        case .abandonedRefresh: .abandonedRefresh
        case .logout: .logout
        case .interval: .interval
        case .user: .user
        case .custom: .custom
        case .experiment: .experiment
        case .observed: .observed
        }
    }

    package var isExperiment: Bool { code == .experiment }
}
