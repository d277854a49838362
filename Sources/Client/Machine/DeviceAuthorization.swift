import Basics
import Model
import Profiles

/// The part of a login that waits for the user on another device (RFC 8628): the tokens are asked
/// for at intervals, each time under the flight lock, which other processes have in between.
extension ClientMachine {
    /// The addition of a `slow_down` to the interval, in seconds (section 3.5).
    static let slowDown = 5.0
    /// The longest interval after failures, in seconds.
    static let longestInterval = 60.0

    mutating func deviceAuthorized(_ id: OperationID, _ exchange: CompletedExchange<DeviceResponse>)
    {
        guard case .authorization? = operations.end(id), login?.authorization == id else { return }
        logExchange(exchange, id: nextRecord(), purpose: .login, why: .login)
        timers[.authorization] = nil
        changeLogin { $0.authorization = nil }
        switch exchange.outcome {
        case .answered(.issued(let authorization)): wait(for: authorization)
        case .answered(.rejected(let status, let message)):
            loginFailed(RefreshFailure(.credentialsRefused(status: status, detail: message)))
        case .answered(.failed(let failure)): loginFailed(RefreshFailure(failure))
        case .notSent(let cause): loginFailed(RefreshFailure(.unsent(cause)))
        case .unanswered(let detail): loginFailed(RefreshFailure(.unanswered(detail: detail)))
        }
    }

    private mutating func wait(for authorization: DeviceAuthorization) {
        let expiresAt = clock.now.advanced(bySeconds: authorization.lifetime)
        timers[.authorization] = expiresAt
        changeLogin { attempt in
            attempt.grant = authorization.grant
            attempt.device = DeviceSignIn(interval: authorization.interval)
        }
        let device = AuthorizationPrompt.Device(
            userCode: authorization.userCode,
            completeURL: authorization.completeURI
        )
        emit(
            AuthorizationPrompt(
                url: authorization.verificationURI,
                isOpened: false,
                expiresAt: expiresAt,
                device: device
            )
        )
        scheduleDevicePoll()
    }

    private mutating func scheduleDevicePoll() {
        guard let device = login?.device else { return }
        timers[.devicePoll] = clock.now.advanced(bySeconds: device.interval)
    }

    /// The interval is over: asks for the tokens.
    mutating func pollForDevice() {
        guard login?.device?.isPolling == false else { return }
        changeLogin { $0.device?.isPolling = true }
        lockForLogin()
    }

    /// Continues to wait for the user after a response that decides nothing, unless the login was
    /// cancelled, or has expired, meanwhile.
    ///
    /// - Returns: Whether the response was handled; if not, the login ends with it.
    mutating func continueDevice(after exchange: CompletedExchange<LoginResponse>) -> Bool {
        guard var device = login?.device else { return false }
        if let ending = device.ending {
            stopAuthorization()
            loginFailed(RefreshFailure(.authorization(ending)))
            if case .answered(.issued(let issued)) = exchange.outcome {
                queueRevocation(of: firstPair(issued, sentAt: exchange.sentAt).pair)
            }
            return true
        }
        switch exchange.outcome {
        case .answered(.authorizationPending(let slowsDown)):
            if slowsDown { device.interval += Self.slowDown }
        case .answered(.failed(.transient)), .notSent(.unreachable), .unanswered:
            // The frequency must be reduced (section 3.5).
            device.interval = max(device.interval, min(device.interval * 2, Self.longestInterval))
        case .answered, .notSent: return false
        }
        device.isPolling = false
        if let lock = login?.lock { effects.append(.unlockFlight(lock)) }
        changeLogin { attempt in
            attempt.lock = nil
            attempt.device = device
        }
        scheduleDevicePoll()
        return true
    }

    /// The user has logged in, and the tokens are there.
    mutating func deviceGranted() {
        timers.clear(.authorization, .devicePoll)
        changeLogin { $0.device = nil }
        emit(AuthorizationGranted())
    }
}

extension LoginAttempt {
    /// Whether nothing is to be sent until the user has logged in, or an interval is over.
    var waitsForUser: Bool { authorization != nil || device?.isPolling == false }
}

extension RefreshFailure {
    /// A login on another device that has ended without tokens.
    init(_ end: AuthorizationEnd) {
        switch end {
        case .denied(let description):
            let failure = AuthorizationFailure.refused(
                error: "access_denied",
                description: description
            )
            self.init(.authorization(failure))
        case .expired: self.init(.authorization(.codeExpired))
        }
    }
}
