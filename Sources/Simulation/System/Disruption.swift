import Client
import Model

/// A disruption of processes that is no fault of their server.
package enum Disruption: String, Sendable, Hashable, CaseIterable {
    case killBeforeDelivery = "kill-before-delivery"
    case killBeforeLoad = "kill-before-load"
    case killAfterLoad = "kill-after-load"
    case killBeforeLock = "kill-before-lock"
    case killAfterLock = "kill-after-lock"
    case killBeforeUnlock = "kill-before-unlock"
    case killAfterUnlock = "kill-after-unlock"
    case killBeforeCommit = "kill-before-commit"
    case killAfterCommit = "kill-after-commit"
    case killBeforeLogin = "kill-before-login"
    case killAfterLogin = "kill-after-login"
    case killBeforeRefresh = "kill-before-refresh"
    case killAfterRefresh = "kill-after-refresh"
    case killBeforeRequest = "kill-before-request"
    case killAfterRequest = "kill-after-request"
    case killBeforeRevocation = "kill-before-revocation"
    case killAfterRevocation = "kill-after-revocation"
    case killBeforeProbe = "kill-before-probe"
    case killAfterProbe = "kill-after-probe"
    case suspendProcess = "suspend-process"
    case suspendMachine = "suspend-machine"
    case wallStep = "wall-step"
    case outage
    case notSent = "not-sent"
    case probeReached = "probe-reached"
    case probeLost = "probe-lost"
    case vaultUnreadable = "vault-unreadable"
    case diskFull = "disk-full"
    case recordDeleted = "record-deleted"
    case lockTimedOut = "lock-timeout"
    case callerCancels = "caller-cancels"
    case feedRefused = "feed-refused"
    case socketCut = "socket-cut"
    case pressRenew = "press-renew"
    case pressPause = "press-pause"
    case pressUnlock = "press-unlock"
    case leaveTerminal = "leave-terminal"
    case pressLogin = "press-login"
    case pressLogout = "press-logout"
    case pressLogoutEverywhere = "press-logout-everywhere"

    static func killBefore(_ effect: SessionEffect) -> Disruption {
        switch effect {
        case .loadRecord: .killBeforeLoad
        case .lockFlight: .killBeforeLock
        case .unlockFlight: .killBeforeUnlock
        case .commit, .checkVault: .killBeforeCommit
        case .authorize, .cancelAuthorization, .sendLogin: .killBeforeLogin
        case .sendRefresh: .killBeforeRefresh
        case .sendProtected, .ask: .killBeforeRequest
        case .sendRevocation: .killBeforeRevocation
        case .probe: .killBeforeProbe
        case .resume, .finish, .finishRequest, .feed, .emit: .killBeforeDelivery
        }
    }

    static func killAfter(_ effect: SessionEffect) -> Disruption {
        switch effect {
        case .loadRecord: .killAfterLoad
        case .lockFlight: .killAfterLock
        case .unlockFlight: .killAfterUnlock
        case .commit, .checkVault: .killAfterCommit
        case .authorize, .cancelAuthorization, .sendLogin: .killAfterLogin
        case .sendRefresh: .killAfterRefresh
        case .sendProtected, .ask: .killAfterRequest
        case .sendRevocation: .killAfterRevocation
        case .probe: .killAfterProbe
        case .resume, .finish, .finishRequest, .feed, .emit: .killBeforeDelivery
        }
    }
}
