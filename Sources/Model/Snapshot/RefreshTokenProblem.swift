/// Why the refresh token of the pair that is held renews nothing any more.
package enum RefreshTokenProblem: String, Sendable, Hashable, CaseIterable {
    /// The backend refused it for good, and it was erased here.
    case refused
    /// It has expired, and the last attempt with it has failed.
    case expired
    /// The last renewal spent it and brought no other, as the profile says.
    case spent
}

extension SessionSnapshot {
    /// Why the refresh token renews nothing any more, or `nil` if it may, or if there is none.
    package var refreshTokenProblem: RefreshTokenProblem? {
        guard let current else { return nil }
        if refusal != nil { return .refused }
        return switch drainReason {
        case .refreshExpired: .expired
        case nil: current.pair.keptRefresh == .spent ? .spent : nil
        case .accessExpired: nil
        default: .refused
        }
    }
}
