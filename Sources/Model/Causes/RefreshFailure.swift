package import Profiles

/// Why a refresh or a login returned no tokens.
package struct RefreshFailure: Error, Sendable, Hashable, Codable {
    /// The meaning of a failure for the refresh token.
    package enum Class: String, Sendable, Hashable, CaseIterable {
        /// Something local prevented the request.
        case heldBack
        /// No byte of the request left.
        case notSent
        /// It was sent, and no usable answer came back.
        case unknown
        /// The backend cannot decide now.
        case transient
        /// The request is not understood.
        case clientFault
        /// The refresh token or the credentials are not accepted.
        case refused
    }

    /// The cause of the failure.
    ///
    /// A `detail` is the message of the backend or the system: bounded, and without a token.
    package enum Cause: Sendable, Hashable, Codable {
        // Something here stood in the way.

        /// Another process held the flight lock all the time.
        case lockHeld
        /// The vault could not be locked, read or written.
        case vault(VaultProblem)
        /// The pair of a login could not be stored.
        case unstorable(VaultProblem)
        /// Another process changed the record, which contains no session to continue.
        case vaultChanged
        /// Another login took the place of the session.
        case replaced
        /// Automatic renewal is paused, and the access token has ended.
        case paused
        /// The pair in use is only in memory, and the access token has ended.
        case unsaved(VaultProblem)
        /// The circuit breaker is open, and the access token has ended.
        case circuitBreakerOpen
        /// The access token of a new pair had ended when it came.
        case expiredOnArrival
        /// The user's login with a browser brought nothing.
        case authorization(AuthorizationFailure)
        /// The id token of a login breaks a rule, and the tokens that came with it are not used.
        case idToken(IDTokenFailure)
        /// After a sleep, the backend could not be reached by any probe.
        case networkAbsent

        // A request was to be sent, or was.

        case unsent(UnsentCause)
        /// An earlier run may have sent the refresh token, and has recorded no answer.
        case interrupted
        case unanswered(detail: String)
        /// An experiment has thrown the answer away.
        case answerDiscarded
        /// Answered, but not with what can be used.
        case unusableAnswer(status: Int, detail: String)
        /// Answered with a new refresh token and no access token that can be used: the new one is kept,
        /// and sent next.
        case refreshTokenOnly(status: Int, detail: String?)
        /// Answered with the tokens of another user.
        case anotherUser(UserChange)
        case unavailable(status: Int, detail: String?)
        case notUnderstood(status: Int, detail: String?)
        /// The server does not know the client any more that the program has registered.
        case clientForgotten(status: Int, detail: String?)
        /// The request sends captured values, one of which may be the reason.
        case forbidden(status: Int, detail: String?, captures: [CaptureReference])
        case refreshTokenRefused(status: Int, detail: String?)
        case credentialsRefused(status: Int, detail: String?)
    }

    package var cause: Cause
    /// The refusal's statement about the refresh token, or `nil` if it says nothing in particular.
    package var statedCauses: [RefusalCause]?

    package init(_ cause: Cause, statedCauses: [RefusalCause]? = nil) {
        self.cause = cause
        self.statedCauses = statedCauses
    }

    package var kind: Class {
        switch cause {
        case .authorization(let failure) where failure.isRefusal: .refused
        case .lockHeld, .vault, .unstorable, .vaultChanged, .replaced, .paused, .unsaved,
            .circuitBreakerOpen, .expiredOnArrival, .networkAbsent, .authorization:
            .heldBack
        case .unsent(.unreachable): .notSent
        case .unsent: .heldBack
        case .interrupted, .unanswered, .answerDiscarded, .unusableAnswer, .idToken, .anotherUser:
            .unknown
        case .unavailable, .refreshTokenOnly: .transient
        case .notUnderstood, .clientForgotten, .forbidden: .clientFault
        case .refreshTokenRefused, .credentialsRefused: .refused
        }
    }

    /// The HTTP status of the answer, or `nil` if there was none.
    package var status: Int? {
        switch cause {
        case .unusableAnswer(let status, _), .refreshTokenOnly(let status, _),
            .unavailable(let status, _), .notUnderstood(let status, _),
            .clientForgotten(let status, _), .forbidden(let status, _, _),
            .refreshTokenRefused(let status, _),
            .credentialsRefused(let status, _):
            status
        case .lockHeld, .vault, .unstorable, .vaultChanged, .replaced, .paused, .unsaved,
            .circuitBreakerOpen, .expiredOnArrival, .networkAbsent, .authorization, .unsent,
            .interrupted, .unanswered, .answerDiscarded, .idToken, .anotherUser:
            nil
        }
    }
}

extension RefreshFailure {
    /// Whether a backend that has accepted the same request before may mean the refresh token, although
    /// the profile does not say so of the answer.
    package var mayBeAboutToken: Bool {
        switch cause {
        case .notUnderstood(let status, _), .unavailable(let status, _):
            [400, 401, 403].contains(status)
        case .lockHeld, .vault, .unstorable, .vaultChanged, .replaced, .paused, .unsaved,
            .circuitBreakerOpen, .expiredOnArrival, .networkAbsent, .authorization, .idToken,
            .anotherUser, .unsent, .interrupted, .unanswered, .answerDiscarded, .unusableAnswer,
            .refreshTokenOnly, .clientForgotten, .forbidden, .refreshTokenRefused,
            .credentialsRefused:
            false
        }
    }

    /// Whether the server has forgotten the client that the refresh token was issued to.
    package var isOfForgottenClient: Bool {
        if case .clientForgotten = cause { true } else { false }
    }

    /// The backend's message with its refusal, or `nil` if it said nothing, or refused nothing.
    package var serverMessage: String? {
        switch cause {
        case .refreshTokenRefused(_, let detail), .credentialsRefused(_, let detail):
            detail.flatMap { $0.isEmpty ? nil : $0 }
        case .authorization(.refused(let error, let description)): description ?? error
        default: nil
        }
    }

    /// The fate of the answer, or `nil` if it decides the fate of the token.
    package var missingAnswer: MissingAnswer? {
        switch cause {
        case .interrupted: .unrecorded
        case .unanswered: .lost
        case .answerDiscarded: .discarded
        case .unusableAnswer: .unusable
        case .lockHeld, .vault, .unstorable, .vaultChanged, .replaced, .paused, .unsaved,
            .circuitBreakerOpen, .expiredOnArrival, .networkAbsent, .authorization, .idToken,
            .anotherUser, .unsent, .refreshTokenOnly, .unavailable, .notUnderstood,
            .clientForgotten,
            .forbidden, .refreshTokenRefused, .credentialsRefused:
            nil
        }
    }

    /// The cause as the field `cause` of an event has it.
    enum Code: String, Sendable, Hashable, CaseIterable {
        case lockHeld
        case vaultLocked
        case vaultFull
        case vaultInUse
        case vaultUnusable
        case vaultChanged
        case replaced
        case paused
        case unsaved
        case circuitBreakerOpen
        case expiredOnArrival
        case networkAbsent
        case authorization
        case idToken
        case unreachable
        case missingCredential
        case noEndpoint
        case unusableRequest
        case missingCapture
        case unusableHeader
        case unusablePath
        case interrupted
        case unanswered
        case answerDiscarded
        case unusableAnswer
        case refreshTokenOnly
        case anotherUser
        case unavailable
        case notUnderstood
        case clientForgotten
        case forbidden
        case refreshTokenRefused
        case credentialsRefused
    }

    var code: Code {
        switch cause {
        case .lockHeld: .lockHeld
        case .vault(let problem), .unstorable(let problem): problem.code
        case .vaultChanged: .vaultChanged
        case .replaced: .replaced
        case .paused: .paused
        case .unsaved: .unsaved
        case .circuitBreakerOpen: .circuitBreakerOpen
        case .expiredOnArrival: .expiredOnArrival
        case .networkAbsent: .networkAbsent
        case .authorization: .authorization
        case .idToken: .idToken
        case .unsent(.unreachable): .unreachable
        case .unsent(.credential): .missingCredential
        case .unsent(.noEndpoint): .noEndpoint
        case .unsent(.unusableRequest): .unusableRequest
        case .unsent(.missingCapture): .missingCapture
        case .unsent(.unusableHeader): .unusableHeader
        case .unsent(.unusablePath): .unusablePath
        case .interrupted: .interrupted
        case .unanswered: .unanswered
        case .answerDiscarded: .answerDiscarded
        case .unusableAnswer: .unusableAnswer
        case .refreshTokenOnly: .refreshTokenOnly
        case .anotherUser: .anotherUser
        case .unavailable: .unavailable
        case .notUnderstood: .notUnderstood
        case .clientForgotten: .clientForgotten
        case .forbidden: .forbidden
        case .refreshTokenRefused: .refreshTokenRefused
        case .credentialsRefused: .credentialsRefused
        }
    }
}

extension VaultProblem {
    fileprivate var code: RefreshFailure.Code {
        switch kind {
        case .locked: .vaultLocked
        case .full: .vaultFull
        case .inUse: .vaultInUse
        case .unusable: .vaultUnusable
        }
    }
}

/// Why the vault cannot be read or written.
package struct VaultProblem: Error, Sendable, Hashable, Codable {
    package enum Kind: String, Sendable, Hashable, Codable, CaseIterable {
        /// The user can solve it at once, for example by unlocking a keyring.
        case locked
        /// There is no room to write in.
        case full
        /// Another process holds the record's lock for too long.
        case inUse
        case unusable
    }

    package var kind: Kind
    /// The message of the vault: the file or helper, the system's error, and the next step.
    package var message: String

    package init(_ kind: Kind = .unusable, message: String) {
        self.kind = kind
        self.message = message
    }
}

/// Why no byte of a request left.
package enum UnsentCause: Sendable, Hashable, Codable {
    /// The connection could not be made; `detail` is the transport's error.
    case unreachable(detail: String)
    indirect case credential(CredentialProblem)
    /// The dialect has no request for it.
    case noEndpoint(dialect: String)
    /// The user's own request cannot be sent.
    case unusableRequest(detail: String)
    /// No answer has brought a value that the request sends again.
    case missingCapture(CaptureReference)
    /// The value of the header of this name has a line break, or is not printable ASCII.
    case unusableHeader(name: String)
    /// The captured value would make a segment of the path empty, or one that refers to another place.
    case unusablePath(CaptureReference)

    package init(_ problem: RequestProblem) {
        switch problem {
        case .missingCapture(let capture): self = .missingCapture(capture)
        case .unusableHeader(let name): self = .unusableHeader(name: name)
        case .unusablePath(let capture): self = .unusablePath(capture)
        }
    }

    /// The cause as the field `obstacle` of an event has it.
    package enum Code: String, Sendable, Hashable, CaseIterable {
        case unreachable
        case missingCredential
        case noEndpoint
        case unusableRequest
        case missingCapture
        case unusableHeader
        case unusablePath
    }

    package var code: Code {
        switch self {
        case .unreachable: .unreachable
        case .credential: .missingCredential
        case .noEndpoint: .noEndpoint
        case .unusableRequest: .unusableRequest
        case .missingCapture: .missingCapture
        case .unusableHeader: .unusableHeader
        case .unusablePath: .unusablePath
        }
    }
}

/// A credential that a request needs is missing.
package struct CredentialProblem: Error, Sendable, Hashable, Codable {
    /// A place where the user can provide it.
    package struct Place: Sendable, Hashable, Codable {
        package var profile: String
        /// An environment variable.
        package var variable: String

        package init(profile: String, variable: String) {
            self.profile = profile
            self.variable = variable
        }
    }

    /// As the dialect names it.
    package var credential: String
    package var place: Place?
    /// What the command that prints it has done in place of that, or `nil` if there is none.
    package var detail: String?

    package init(credential: String, place: Place? = nil, detail: String? = nil) {
        self.credential = credential
        self.place = place
        self.detail = detail
    }
}
