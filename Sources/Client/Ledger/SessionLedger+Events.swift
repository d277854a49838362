import Basics
import Model
import Profiles

/// The ledger's events about a pair, and about an exchange.
extension SessionLedger {
    /// Returns the events that describe the pair in use, and disagreements in its evidence.
    ///
    /// - Parameters:
    ///   - origin: The origin of the pair.
    ///   - rotated: Whether its refresh token is a new one.
    ///   - keepsAccess: Whether its access token is that of the pair before.
    ///   - usableUntil: When its access token may no longer be used, if that is known.
    ///   - captures: The values that belong to it besides the tokens.
    ///   - request: The number of the refresh that brought it, if one of this run did.
    ///   - fingerprinter: Returns the fingerprints of its tokens.
    /// - Returns: The events, in order.
    func events(
        origin: PairDescription.Origin,
        rotated: Bool,
        keepsAccess: Bool = false,
        usableUntil: Instant?,
        captures: [CaptureDescription] = [],
        request: Int?,
        naming fingerprinter: Fingerprinter
    ) -> [any EventKind] {
        func description(_ secret: Secret) -> TokenDescription {
            TokenDescription(of: secret, fingerprint: fingerprinter.fingerprint(of: secret))
        }
        var description = PairDescription(
            origin: origin,
            access: description(pair.tokens.access.secret),
            refresh: pair.tokens.refresh.map { description($0.secret) },
            issuedAt: pair.issuedAt,
            accessExpiry: pair.access,
            refreshExpiry: pair.tokens.refresh == nil ? nil : pair.refresh,
            rotated: rotated
        )
        description.keepsAccess = keepsAccess
        description.unusableExpiries = pair.unusableExpiries
        description.usableUntil = usableUntil
        description.statements = pair.record.statements
        description.captures = captures
        description.request = request
        description.sessionEnd = sessionEnd
        description.keptRefresh = keptRefreshToken(origin, rotated: rotated)
        var kinds: [any EventKind] = [TokensIssued(description)]
        if let readings = pair.access?.expiry.mismatch, !readings.isEmpty {
            kinds.append(ExpiryMismatch(token: .access, readings: readings))
        }
        if let readings = pair.refresh?.expiry.mismatch, !readings.isEmpty {
            kinds.append(ExpiryMismatch(token: .refresh, readings: readings))
        }
        return kinds
    }
}

extension RefreshFailure {
    /// Creates the failure for a response without tokens that does not concern the refresh token.
    init(_ failure: ResponseFailure) {
        switch failure {
        case .transient(let status, let message, _):
            self.init(.unavailable(status: status, detail: message))
        case .clientFault(let status, let message):
            self.init(.notUnderstood(status: status, detail: message))
        case .clientForgotten(let status, let message):
            self.init(.clientForgotten(status: status, detail: message))
        case .forbidden(let status, let message, let captures):
            self.init(.forbidden(status: status, detail: message, captures: captures))
        case .undecodable(let status, let message):
            self.init(.unusableAnswer(status: status, detail: message))
        }
    }
}

extension ProtectedResponse {
    var acceptance: TokenAcceptance {
        switch self {
        case .accepted, .listed: .accepted
        case .tokenRejected: .refused
        case .inconclusive: .undecided
        }
    }
}
