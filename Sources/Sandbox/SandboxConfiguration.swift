package import Backend

/// How a sandbox is to behave, fixed for its life.
package struct SandboxConfiguration: Sendable {
    /// The port that `authtop sandbox` listens on unless told otherwise.
    package static let usualPort = 8787

    /// A name or an address; anything but loopback lets others in, so whoever sets it says so.
    package var host: String
    /// Names under which requests may reach it, besides its own and those of this machine.
    package var allowedHosts: [String]
    /// 0 takes any free port.
    package var port: Int
    /// The dialect that owns the paths without a dialect's name in front; `nil` serves every path
    /// there that only one dialect has.
    package var primary: String?
    /// Seconds, for every dialect; `nil` leaves each its documented lifetime.
    package var accessLifetime: Double?
    /// As `accessLifetime`.
    package var refreshLifetime: Double?
    package var reuse: ReusePolicy
    /// What a refresh does to the refresh token, by dialect, where it is not what the dialect
    /// documents.
    package var rotation: [String: RotationBehavior]
    package var accounts: [Account]
    package var feed: FeedSettings
    /// Switched on from the beginning.
    package var faults: [FaultSetting]
    /// The seed by which faults come and go by themselves; `nil` leaves them to people.
    package var faultSchedule: UInt64?
    var limits = ConnectionLimits()

    package init(
        host: String = "127.0.0.1",
        allowedHosts: [String] = [],
        port: Int = usualPort,
        primary: String? = nil,
        accessLifetime: Double? = nil,
        refreshLifetime: Double? = nil,
        reuse: ReusePolicy = .strict,
        rotation: [String: RotationBehavior] = [:],
        accounts: [Account] = [.sandbox],
        feed: FeedSettings = FeedSettings(),
        faults: [FaultSetting] = [],
        faultSchedule: UInt64? = nil
    ) {
        self.host = host
        self.allowedHosts = allowedHosts
        self.port = port
        self.primary = primary
        self.accessLifetime = accessLifetime
        self.refreshLifetime = refreshLifetime
        self.reuse = reuse
        self.rotation = rotation
        self.accounts = accounts
        self.feed = feed
        self.faults = faults
        self.faultSchedule = faultSchedule
    }

    /// Whether only this machine can reach it.
    package var isLoopback: Bool {
        RequestHost(host.contains(":") ? "[\(host)]" : host)?.isLoopback ?? false
    }
}

/// How the feed behaves, for every dialect.
package struct FeedSettings: Sendable, Hashable {
    /// What a dial with a token that opens nothing is told.
    package enum Refusal: Sendable, Hashable {
        /// 403 in place of the upgrade, as ASGI servers do it.
        case forbidden
        /// The upgrade, and then a close frame with this code.
        case close(code: UInt16)
    }

    /// What happens to an open socket when its token expires.
    package enum Expiry: Sendable, Hashable {
        case ignore
        case close(code: UInt16)
    }

    /// Messages a second, for each user; with 0 the feed is silent.
    package var rate: Double
    package var refusal: Refusal
    package var expiry: Expiry
    /// A socket that stays more than so many messages behind is closed with 1013.
    package var maximumLag: Int64

    package init(
        rate: Double = 10,
        refusal: Refusal = .forbidden,
        expiry: Expiry = .ignore,
        maximumLag: Int64 = 1000
    ) {
        self.rate = rate
        self.refusal = refusal
        self.expiry = expiry
        self.maximumLag = maximumLag
    }
}
