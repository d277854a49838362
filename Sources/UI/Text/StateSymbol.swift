import Model

/// The symbols of the states, no two the same, so that no color is needed to tell them apart.
enum StateSymbol: String, Sendable, CaseIterable {
    case cold = "⋯"
    case vault = "⚠"
    case signedOut = "○"
    case signingIn = "◌"
    case fresh = "●"
    case renewing = "◐"
    case retrying = "◑"
    case unknown = "◒"
    case blocked = "◔"
    case expired = "◇"
    case draining = "▼"
    case signingOut = "◎"

    init(of state: SessionState) {
        self =
            switch state {
            case .cold: .cold
            case .vaultUnavailable: .vault
            case .signedOut: .signedOut
            case .signingIn: .signingIn
            case .fresh: .fresh
            case .renewing: .renewing
            case .retrying: .retrying
            case .blocked: .blocked
            case .expired: .expired
            case .unknown: .unknown
            case .draining: .draining
            case .signingOut: .signingOut
            }
    }

    var meaning: String {
        switch self {
        case .cold: "reading the vault"
        case .vault: "vault unreadable"
        case .signedOut: "signed out"
        case .signingIn: "logging in"
        case .fresh: "fresh: token usable"
        case .renewing: "renewing"
        case .retrying: "failed, trying again"
        case .unknown: "answer lost, asks again"
        case .blocked: "unusable, requests wait"
        case .expired: "expired, still renewable"
        case .draining: "refused, ends soon"
        case .signingOut: "logging out"
        }
    }

    /// Two to a line.
    static var legend: [Line] {
        let entries = allCases.map { Line("\($0.rawValue) ", .strong) + Line($0.meaning) }
        return stride(from: 0, to: entries.count, by: 2).map { start in
            entries[start].fitted(to: 28)
                + (start + 1 < entries.count ? entries[start + 1] : Line())
        }
    }
}
