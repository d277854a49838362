import Basics
import Model
import Profiles

/// What was observed, in the terms of the events that every session has.
extension RequestRecord {
    init(_ exchange: ObservedExchange, issuedAt: Moment?, at moment: Moment) {
        let fingerprint =
            exchange.purpose == .refresh ? exchange.refresh : exchange.access?.fingerprint
        self.init(
            id: exchange.number,
            purpose: RequestRecord.Purpose(exchange.purpose),
            method: exchange.request.method,
            target: exchange.request.target,
            result: exchange.recordedResult,
            seconds: moment.now.seconds(since: exchange.startedAt.now),
            generation: exchange.generation ?? exchange.refreshGeneration ?? 0,
            fingerprint: fingerprint,
            why: .observed(exchange.cause),
            retryOf: exchange.retryOf,
            flight: exchange.purpose == .refresh ? exchange.number : nil,
            tokenAge: issuedAt.map { exchange.startedAt.now.seconds(since: $0.now) },
            evidence: exchange.answer?.evidence,
            client: exchange.client,
            experiment: exchange.experiment,
            corsAddedFor: exchange.answer?.corsAddedFor
        )
        if exchange.status != nil, exchange.isGivenUp { isUndelivered = true }
    }
}

extension ObservedExchange {
    fileprivate var recordedResult: RequestRecord.Result {
        if let status { return .answered(status: status) }
        if outcome == .notSent { return .notSent(.unreachable(detail: failureDetail)) }
        return .unanswered(detail: failureDetail)
    }

    fileprivate var failureDetail: String {
        failure.map(ObservationMachine.detail) ?? ""
    }

    fileprivate var retryOf: Int? {
        guard purpose != .refresh, case .retry(let original) = cause else { return nil }
        return original
    }
}

extension RequestRecord.Purpose {
    init(_ purpose: ExchangePurpose) {
        self =
            switch purpose {
            case .login: .login
            case .refresh: .refresh
            case .logout: .logout
            case .protected: .protected
            case .question: .introspection
            case .socket, .stream: .socket
            case .preflight: .preflight
            case .other: .other
            }
    }
}

extension RefreshFailure {
    /// Creates the failure of a refresh, or `nil` if it brought tokens.
    init?(_ exchange: ObservedExchange) {
        let status = exchange.status ?? 0
        let detail = exchange.failure.map(ObservationMachine.detail) ?? ""
        switch exchange.outcome {
        case .refreshRefused(isFinal: true):
            self.init(.refreshTokenRefused(status: status, detail: exchange.answer?.errorCode))
        case .refreshRefused(isFinal: false), .loginRefused, .tokenRefused:
            self.init(.notUnderstood(status: status, detail: exchange.answer?.errorCode))
        case .transient:
            self.init(.unavailable(status: status, detail: exchange.answer?.errorCode))
        case .accepted, .inconclusive, .loggedOut:
            let coding = exchange.answer?.unreadCoding.map { "Content-Encoding: \($0)" }
            self.init(.unusableAnswer(status: status, detail: coding ?? ""))
        case .unanswered: self.init(.unanswered(detail: detail))
        case .notSent: self.init(.unsent(.unreachable(detail: detail)))
        case .issued, nil: return nil
        }
    }
}

extension PairDescription {
    init(_ generation: TokenGeneration, _ arrival: TokenGraph.Arrival) {
        let none = TokenDescription(
            fingerprint: Fingerprint(digits: ""),
            format: .opaque,
            byteCount: 0,
            claims: [:]
        )
        let origin: PairDescription.Origin =
            switch arrival.kind {
            case .login: .login
            case .refresh: .refresh
            case .joined: .joined
            }
        self.init(
            origin: origin,
            access: generation.access ?? none,
            refresh: generation.refreshToken,
            issuedAt: generation.sentAt,
            accessExpiry: generation.accessDeadline,
            refreshExpiry: generation.refreshDeadline,
            unusableExpiries: UnusableExpiries(
                access: [generation.access].compactMap { $0?.unusableExpiry },
                refresh: [generation.refreshToken].compactMap { $0?.unusableExpiry }
            ),
            usableUntil: generation.accessDeadline?.statedEnd,
            rotated: generation.isRotated,
            subject: arrival.subject ?? generation.access?.claims["sub"]?.displayText?.bounded,
            displayName: arrival.subject,
            request: arrival.kind == .refresh ? arrival.exchange : nil
        )
    }
}

extension TokenDescription {
    /// What it states about its expiry and cannot be used.
    fileprivate var unusableExpiry: UnusableExpiry? {
        JSONWebToken.expiryEvidence(in: claims)?.unusable
    }
}

extension SignedOutReason {
    init(_ end: ObservedEnd) {
        self =
            switch end {
            case .logout: .user
            case .refreshRefused, .reuseDetected: .revoked
            case .replaced: .replaced
            case .expired: .accessExpired
            case .silent: .endedElsewhere
            }
    }
}

extension SessionState {
    /// The state of a session with a standing and its cause, or `nil` if it stays as it is.
    static func shown(
        for standing: ObservedStanding
    ) -> (state: SessionState, why: StateChangeCause)? {
        switch standing {
        case .joined, .live: (.fresh, .observed)
        case .renewing: (.renewing, .observed)
        // Nothing says what the app makes of it.
        case .refused, .expired, .ended: nil
        }
    }
}
