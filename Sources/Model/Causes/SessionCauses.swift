package import Basics
package import Profiles

/// The evidence about a refresh token at the moment of its refusal.
package struct RefusalEvidence: Sendable, Hashable, Codable {
    /// Seconds since the request was sent from which its life counts.
    package var age: Double
    /// The stated lifetime, in seconds, or `nil` if none is stated.
    package var lifetime: Double?
    /// The source of `lifetime`.
    package var source: ExpirySource?
    /// The number of times that it may have been sent before without a usable answer on record.
    package var sendsWithoutAnswer: Int
    /// The possible causes of its end, the likeliest first: those that the evidence does not rule
    /// out.
    package var possibleCauses: [PossibleCause]
    /// The backend's message: bounded, on one line, and without a token.
    package var message: String?

    package init(
        age: Double,
        lifetime: Double?,
        source: ExpirySource? = nil,
        sendsWithoutAnswer: Int,
        possibleCauses: [PossibleCause],
        message: String? = nil
    ) {
        self.age = age
        self.lifetime = lifetime
        self.source = source
        self.sendsWithoutAnswer = sendsWithoutAnswer
        self.possibleCauses = possibleCauses
        self.message = message
    }
}

/// A possible cause for which the backend refuses a refresh token.
package enum PossibleCause: String, Sendable, Hashable, Codable, CaseIterable {
    /// A renewal without a usable answer spent it.
    case answerLost
    /// The last renewal spent it and returned no new one.
    case spentByUse
    /// It has expired: as stated, or possibly, because no lifetime is stated.
    case expired
    /// The session was not used for longer than the backend allows, as the backend says.
    case inactive
    /// The session has reached the longest life that the backend allows, as the backend says.
    case sessionEnded
    /// Another client used it; the backend refuses the second use.
    case usedElsewhere
    /// A logout elsewhere, a change of the password, or an administrator.
    case revoked
    /// The backend has lost its sessions, or another instance of it answers.
    case forgotten
    /// Its life is over, because the stated one is in another unit or time zone than was read.
    case lifetimeMisread
    /// An experiment has used a refresh token twice, and the backend ends the session then.
    case experiment
}

extension PossibleCause {
    /// Returns the causes that a refusal names, or all that the evidence leaves open if it names
    /// none.
    ///
    /// - Parameters:
    ///   - open: The causes that the evidence does not rule out.
    ///   - stated: The refusal's statement about the refresh token.
    /// - Returns: The causes, the likeliest first.
    package static func among(
        _ open: [PossibleCause],
        given stated: [RefusalCause]
    ) -> [PossibleCause] {
        guard !stated.isEmpty else { return open }
        let causes = stated.flatMap { cause -> [PossibleCause] in
            switch cause {
            case .expired: return [.expired]
            case .inactive: return [.inactive]
            case .sessionEnded: return [.sessionEnded]
            case .revoked: return [.revoked]
            case .used:
                let uses = open.filter { [.answerLost, .spentByUse, .usedElsewhere].contains($0) }
                return uses.isEmpty ? [.usedElsewhere] : uses
            case .unknown:
                let spent = open.filter { [.answerLost, .spentByUse].contains($0) }
                return spent + [.revoked, .forgotten]
            }
        }
        return causes.reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    }
}

extension SignedOutReason {
    /// Creates the reason that a refusal states, or `nil` if what it says allows several.
    package init?(_ stated: [RefusalCause]) {
        switch Set(stated) {
        case [.expired]: self = .refreshExpired
        case [.revoked]: self = .revoked
        case let causes
        where !causes.isEmpty && causes.isSubset(of: [.expired, .inactive, .sessionEnded]):
            self = .sessionExpired
        default: return nil
        }
    }
}

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
    /// The user requested it.
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
    case experiment(Experiment)
    /// An app sent it.
    case observed(ObservedCause)

    /// The names in recordings.
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

/// Why a user's request cannot be fulfilled.
package enum ActionRejection: Sendable, Hashable, Codable {
    case renewalUnderWay
    case signedInAlready
    case vaultNotRead
    case nothingToRenew
    case refreshTokenRefused
    case nothingToEnd
    case noLogoutEverywhere(dialect: String)
    /// To log out everywhere, a refresh token is needed, and there is none.
    case needsRefreshToken
    /// To log out everywhere, a live access token is needed, and none can be had.
    case needsAccessToken
    case experimentUnderWay
    /// No access token of the session has expired; with the end of the one in use, if it is stated.
    case noExpiredToken(endsAt: Instant?)
    /// No renewal of this run has replaced the refresh token.
    case noReplacedToken
    /// There is no refresh token to send.
    case noRefreshToken
    case noOpenFeed
    case noProtectedRequest

    /// The cause as the field `cause` of an event has it.
    enum Code: String, Sendable, Hashable, CaseIterable {
        case renewalUnderWay
        case signedInAlready
        case vaultNotRead
        case nothingToRenew
        case refreshTokenRefused
        case nothingToEnd
        case noLogoutEverywhere
        case needsRefreshToken
        case needsAccessToken
        case experimentUnderWay
        case noExpiredToken
        case noReplacedToken
        case noRefreshToken
        case noOpenFeed
        case noProtectedRequest
    }

    var code: Code {
        switch self {
        case .renewalUnderWay: .renewalUnderWay
        case .signedInAlready: .signedInAlready
        case .vaultNotRead: .vaultNotRead
        case .nothingToRenew: .nothingToRenew
        case .refreshTokenRefused: .refreshTokenRefused
        case .nothingToEnd: .nothingToEnd
        case .noLogoutEverywhere: .noLogoutEverywhere
        case .needsRefreshToken: .needsRefreshToken
        case .needsAccessToken: .needsAccessToken
        case .experimentUnderWay: .experimentUnderWay
        case .noExpiredToken: .noExpiredToken
        case .noReplacedToken: .noReplacedToken
        case .noRefreshToken: .noRefreshToken
        case .noOpenFeed: .noOpenFeed
        case .noProtectedRequest: .noProtectedRequest
        }
    }
}

/// Why the backend did not list the active sessions, or did not end one.
package struct SessionListFailure: Sendable, Hashable, Codable {
    package enum Request: String, Sendable, Hashable, Codable, CaseIterable {
        case list
        case end
    }

    package var request: Request
    /// The end of the request that was to do it.
    package var end: RequestEnd

    package init(_ request: Request, _ end: RequestEnd) {
        self.request = request
        self.end = end
    }
}

/// Why a feed socket was not opened, or why there is none.
package enum FeedCause: Sendable, Hashable, Codable {
    case closed(code: Int)
    case upgradeRefused(status: Int)
    /// The upgrade was not answered; `detail` is the transport's error.
    case unreachable(detail: String)
    /// The access token to dial with was replaced before the dial.
    case tokenReplaced
    /// The access token was refused, and has not been renewed yet.
    case awaitsRenewal
    /// No answer has brought a value that the profile sends with the feed's request.
    case missingCapture(CaptureReference)
    /// The value of the header of this name has a line break, or is not printable ASCII.
    case unusableHeader(name: String)

    package init(_ problem: RequestProblem) {
        switch problem {
        case .missingCapture(let capture): self = .missingCapture(capture)
        case .unusableHeader(let name): self = .unusableHeader(name: name)
        }
    }

    /// Whether the feed can be dialed once an answer has brought another value.
    package var awaitsValue: Bool {
        switch self {
        case .missingCapture, .unusableHeader: true
        case .closed, .upgradeRefused, .unreachable, .tokenReplaced, .awaitsRenewal: false
        }
    }

    /// The cause as the field `cause` of an event has it.
    package enum Code: String, Sendable, Hashable, CaseIterable {
        case closed
        case upgradeRefused
        case unreachable
        case tokenReplaced
        case awaitsRenewal
        case missingCapture
        case unusableHeader
    }

    package var code: Code {
        switch self {
        case .closed: .closed
        case .upgradeRefused: .upgradeRefused
        case .unreachable: .unreachable
        case .tokenReplaced: .tokenReplaced
        case .awaitsRenewal: .awaitsRenewal
        case .missingCapture: .missingCapture
        case .unusableHeader: .unusableHeader
        }
    }
}
