package import Basics
package import Model
import Profiles

/// Why an action is not available now, as a message for the user.
package enum ActionAvailability {
    /// Returns the obstacle to an action.
    ///
    /// - Parameters:
    ///   - action: The requested action.
    ///   - session: The current snapshot.
    ///   - isReadOnly: Whether the user only watches.
    ///   - isObserved: Whether the session is an app's, as a proxy sees it.
    ///   - now: The current time, or `nil` if it is unknown yet.
    /// - Returns: The message, or `nil` if the action is available.
    package static func text(
        _ action: Action,
        _ session: SessionSnapshot,
        isReadOnly: Bool,
        isObserved: Bool = false,
        at now: Instant?
    ) -> String? {
        if isObserved, action.isForSession, !action.isForProgram, !action.isForApp {
            return "this session is the app's: authtop cannot do that here; E has experiments"
        }
        if !isObserved, action == .focus(FindingsPane.id) {
            return "findings are of an app whose traffic goes through authtop proxy"
        }
        if !isObserved, action == .writeProfile {
            return "a profile is learned from an app's traffic, by authtop proxy"
        }
        if !isObserved, action == .familyTree {
            return "a family tree is of an app's tokens, as authtop proxy sees them"
        }
        if !isObserved, action == .newestFinding {
            return "findings are of an app whose traffic goes through authtop proxy"
        }
        if !isObserved, action == .listAllSessions {
            return "the sessions of an app are listed together, in authtop proxy"
        }
        if !isObserved, action == .repeatExperiment {
            return "e repeats an experiment with an app, in authtop proxy; E lists yours"
        }
        if isReadOnly, action.isByHand {
            return "--readonly: keys only watch, nothing is sent or changed by hand"
        }
        if isObserved, action.isForApp { return nil }
        let name = session.capabilities?.dialect ?? "this backend"
        switch action {
        case .renew:
            return session.current == nil ? "nothing to renew: not logged in" : nil
        case .send:
            if session.capabilities?.hasProtectedRequest == false {
                return "\(name) names no protected request to send"
            }
            return session.current == nil ? "no access token to send: not logged in" : nil
        case .compose:
            return session.current == nil ? "no access token to send: not logged in" : nil
        case .logIn:
            return logIn(session, at: now)
        case .logOut:
            return session.state.isLive ? nil : "not logged in"
        case .logOutEverywhere:
            if let scopes = session.capabilities?.logoutScopes, !scopes.contains(.everywhere) {
                return "log out everywhere is not offered by \(name)"
            }
            return session.state.isLive ? nil : "not logged in"
        case .tryVault:
            if case .vaultUnavailable = session.state { return nil }
            return session.flags.unsaved == nil
                ? "the vault can be read and written: nothing to do" : nil
        case .sessions:
            if session.capabilities?.listsSessions == false {
                return "\(name) has no list of active sessions"
            }
            return session.state.isLive ? nil : "not logged in"
        case .introspect:
            if session.capabilities?.questions?.isEmpty ?? true {
                return "\(name) names no introspection and no userinfo to ask"
            }
            return session.current == nil ? "no token to ask about: not logged in" : nil
        case .faults, .faultOnce, .toggleFault, .allFaultsOff:
            return session.claimsSandbox
                ? nil : "faults are the sandbox's, and this backend has not said that it is one"
        case .experiments:
            return session.current == nil ? "no tokens to experiment with: not logged in" : nil
        case .runExperiment:
            return session.current == nil ? "no tokens to experiment with: not logged in" : nil
        case .endSelected:
            return session.capabilities?.endsSessions == false
                ? "\(name) has no way to end a single session" : nil
        default:
            // Does not depend on the state of the session.
            return nil
        }
    }

    /// A session that is ending, that cannot be renewed, or whose backend does not respond, may be
    /// replaced.
    private static func logIn(_ session: SessionSnapshot, at now: Instant?) -> String? {
        switch session.state {
        case .signingIn: session.authorization == nil ? "already logging in" : nil
        case .fresh, .renewing, .retrying, .blocked, .unknown:
            session.canRenew(at: now) ? "already logged in: log out first with l" : nil
        case .cold, .vaultUnavailable, .signedOut, .offline, .draining, .signingOut: nil
        }
    }
}

extension Action {
    /// Whether it is about the program or its screen, although it belongs to a run with sessions.
    fileprivate var isForProgram: Bool {
        switch self {
        case .lock, .unlock, .back, .decline: true
        default: false
        }
    }

    /// Whether it is about an app whose traffic a proxy passes on.
    var isForApp: Bool {
        switch self {
        case .experiments, .runExperiment, .repeatExperiment: true
        default: false
        }
    }

    /// Whether it is an act of the user on the session or the backend, which `--readonly` forbids.
    ///
    /// Another try to read or write the vault is none: it is what the program does anyway. Nor is a
    /// question about the tokens, which changes nothing.
    var isByHand: Bool {
        switch self {
        case .lock, .unlock, .tryVault, .cancelLogIn, .introspect: false
        default: isForSession
        }
    }
}
