import Dialects
package import Lifecycle
package import Timekeeping

/// Why an action makes no sense now, as text for the person who asked for it; `nil`: it does.
package enum ActionAvailability {
    ///
    /// - Parameters:
    ///   - action: What is asked for.
    ///   - session: As it stands.
    ///   - now: When, or `nil` if nothing is known of the time yet.
    /// - Returns: The words.
    package static func text(
        _ action: Action,
        _ session: SessionSnapshot,
        at now: Instant?
    ) -> String? {
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
        case .endSelected:
            return session.capabilities?.endsSessions == false
                ? "\(name) has no way to end a single session" : nil
        case .cyclePause, .focus, .nextSession, .previousSession, .nextPane, .previousPane, .move,
            .toggleFollow, .filter, .detail,
            .help, .statistics, .theme, .redraw, .suspend, .back, .quit, .quitNow, .confirm,
            .decline, .keepFilter, .clearFilter, .erase, .eraseAll, .nextField, .previousField,
            .acceptField, .olderRequest, .newerRequest, .lock, .unlock:
            return nil
        }
    }

    /// A session that is ending, that nothing can renew, or that nobody answers, may be replaced.
    private static func logIn(_ session: SessionSnapshot, at now: Instant?) -> String? {
        switch session.state {
        case .signingIn: "already logging in"
        case .fresh, .renewing, .retrying, .blocked, .unknown:
            session.canRenew(at: now) ? "already logged in: log out first with l" : nil
        case .cold, .vaultUnavailable, .signedOut, .offline, .draining, .signingOut: nil
        }
    }
}
