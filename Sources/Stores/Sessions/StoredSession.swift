package import Basics
package import FoundationEssentials

/// A session that a program has stored on this machine, without its secrets.
package struct StoredSession: Sendable, Hashable {
    /// Its place: the file, and where in it.
    package struct ID: Sendable, Hashable {
        package let file: String
        package let place: String

        package init(file: String, place: String) {
            self.file = file
            self.place = place
        }
    }

    package let id: ID
    /// The name of the store's definition.
    package let store: String
    package let title: String
    package let account: String?
    package let issuer: String?
    package let client: String?
    package let access: StoredToken?
    package let refresh: StoredToken?
    package let idToken: StoredToken?
    package let renewal: StoreDefinition.Renewal?
    package let command: String?
    /// Whether the refresh token can be used once only, if that is known.
    package let isOneTime: Bool?
    /// Whether its program has something in another place that brings the next access token.
    package let isRenewedFromElsewhere: Bool
    /// Whether its tokens are in a keyring, of which nothing is read.
    package let isInKeyring: Bool

    package init(
        id: ID,
        store: String,
        title: String,
        account: String? = nil,
        issuer: String? = nil,
        client: String? = nil,
        access: StoredToken? = nil,
        refresh: StoredToken? = nil,
        idToken: StoredToken? = nil,
        renewal: StoreDefinition.Renewal? = nil,
        command: String? = nil,
        isOneTime: Bool? = nil,
        isRenewedFromElsewhere: Bool = false,
        isInKeyring: Bool = false
    ) {
        self.id = id
        self.store = store
        self.title = title
        self.account = account
        self.issuer = issuer
        self.client = client
        self.access = access
        self.refresh = refresh
        self.idToken = idToken
        self.renewal = renewal
        self.command = command
        self.isOneTime = isOneTime
        self.isRenewedFromElsewhere = isRenewedFromElsewhere
        self.isInKeyring = isInKeyring
    }
}

/// A token of a file, by its fingerprint.
package struct StoredToken: Sendable, Hashable {
    package let fingerprint: Fingerprint
    /// In bytes.
    package let size: Int
    /// The end that the file states, or that follows from a lifetime in it.
    package let statedEnd: Date?
    /// Whether that is a lifetime whose beginning is not stated, counted from the time of the file.
    package let isInferred: Bool
    /// Whether nothing states that end, and a profile assumes it.
    package let isAssumed: Bool
    /// Whether that is its end at the latest, and it may end before.
    package let isLimit: Bool
    /// What the token says about itself, if it is a JWT.
    package let claims: Claims?

    package init(
        fingerprint: Fingerprint,
        size: Int = 0,
        statedEnd: Date? = nil,
        isInferred: Bool = false,
        isAssumed: Bool = false,
        isLimit: Bool = false,
        claims: Claims? = nil
    ) {
        self.fingerprint = fingerprint
        self.size = size
        self.statedEnd = statedEnd
        self.isInferred = isInferred
        self.isAssumed = isAssumed
        self.isLimit = isLimit
        self.claims = claims
    }

    package struct Claims: Sendable, Hashable {
        package let expiresAt: Date?
        package let issuedAt: Date?
        package var notBefore: Date?
        package let issuer: String?
        package let subject: String?
        package let audience: String?
        package let scope: String?

        /// Whether both are of one user, for the same server and the same use.
        func isAlike(_ other: Claims) -> Bool {
            (issuer, subject, audience) == (other.issuer, other.subject, other.audience)
        }
    }

    /// When it ends: the earlier one of what is stated, or `nil` if nothing says so.
    package var end: Date? {
        guard let statedEnd, let own = claims?.expiresAt else {
            return statedEnd ?? claims?.expiresAt
        }
        return min(statedEnd, own)
    }

    /// Whether its end may be another one, since nothing states it.
    package var isEndUncertain: Bool { (isInferred || isAssumed) && end == statedEnd }

    package func isEnded(at now: Date) -> Bool {
        var horizon = Horizon(now)
        return isEnded(within: &horizon)
    }

    func isEnded(within horizon: inout Horizon) -> Bool {
        guard let end else { return false }
        return horizon.isReached(end)
    }
}

extension StoredSession {
    /// What can be said of a session at a moment, the worst first.
    package enum State: String, Sendable, Hashable, CaseIterable {
        /// Nothing in it is accepted any more, as far as the file says.
        case ended
        /// It ends within ten minutes, and nothing renews it.
        case ending
        /// The access token has ended, and what is stored brings the next.
        case renewable
        case live
        /// Nothing says when it ends.
        case endless
        /// Its tokens are in a keyring, which is not opened.
        case keyring
    }

    /// The time before an end that nothing will prevent, in seconds.
    package static let warningTime = 600.0

    /// The token whose end is that of the session unless something renews it.
    package var main: StoredToken? { access ?? idToken }

    package func state(at now: Date) -> State {
        var horizon = Horizon(now)
        return state(within: &horizon)
    }

    package func state(within horizon: inout Horizon) -> State {
        let isRefreshEnded = refresh?.isEnded(within: &horizon)
        guard let main else {
            guard let isRefreshEnded else { return isInKeyring ? .keyring : .ended }
            return isRefreshEnded ? .ended : refresh?.end == nil ? .endless : .live
        }
        let canRenew = isRenewedFromElsewhere || isRefreshEnded == false
        if main.isEnded(within: &horizon) { return canRenew ? .renewable : .ended }
        guard let end = main.end else { return .endless }
        let isClose = horizon.isReached(end.addingTimeInterval(-Self.warningTime))
        return isClose && !canRenew ? .ending : .live
    }

    /// When the session ends unless something renews it, or `nil` if nothing says so.
    package var end: Date? { main?.end ?? refresh?.end }
}
