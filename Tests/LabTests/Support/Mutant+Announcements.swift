import Basics
import Client
import Model

/// A mutant's announcements of the next renewal.
extension Mutant {
    /// Returns the plan that is announced in place of the machine's, or `nil` if none is.
    func announced(_ plan: RenewalPlan) -> RenewalPlan? {
        switch (mutation, plan) {
        case (.announcesLate, .scheduled(let at, let reason)):
            return .scheduled(at: at.advanced(bySeconds: 1), reason)
        case (.announcesEarly, .scheduled(let at, let reason)):
            return .scheduled(at: at.advanced(bySeconds: -1), reason)
        case (.announcesDuringPause, .held(.paused)), (.announcesDuringPause, .held(.user)):
            guard let schedule else { return plan }
            return .scheduled(at: schedule.refreshAt, .accessTokenEnds)
        case (.announcesNoBeginning, .underWay): return nil
        case (.announcesNoRetry, .scheduled(_, .retry)) where hasFailed: return nil
        case (.announcesLossAsRetry, .scheduled(let at, .lostAnswer)):
            return .scheduled(at: at, .retry)
        case (.deniesRefreshTokensEnd, .scheduled(let at, .refreshTokenOver)):
            return .scheduled(at: at, .accessTokenEnds)
        case (.misnamesReason, .scheduled(let at, .retry)):
            return .scheduled(at: at, .accessTokenEnds)
        case (.deniesTimer, .scheduled(_, .accessTokenEnds)): return .held(.expiry)
        case (.deniesRenewal, .scheduled(_, .accessTokenEnds)): return .impossible(.accessExpired)
        default: return plan
        }
    }
}
