package import Backend
import Basics
package import Model
import Profiles

/// The configuration of a sandbox, which does not change during its life.
package struct SandboxConfiguration: Sendable {
    /// The default port of `authtop sandbox`.
    package static let usualPort = 8787

    /// The name or address to listen on; other machines can connect unless it is loopback.
    var host: String
    /// The host names that requests may use, besides its own and those of this machine.
    var allowedHosts: [String]
    /// The port to listen on; 0 chooses a free one.
    var port: Int
    /// The dialect that is served at the root, without its name in the path; if `nil`, every path
    /// that only one dialect has is served there.
    var primary: String?
    /// The lifetime for every dialect, in seconds, or `nil` for each dialect's documented lifetime.
    var accessLifetime: Double?
    /// The lifetime for every dialect, in seconds, or `nil` for each dialect's documented lifetime.
    var refreshLifetime: Double?
    /// The reuse policy for every dialect, or `nil` for each dialect's documented one.
    package var reuse: ReusePolicy?
    /// The effect of a refresh on the refresh token, by dialect, where it differs from the
    /// documented behavior.
    var rotation: [String: RotationBehavior]
    /// The reuse policy of a dialect, by its name, where it differs from that of the others.
    package var ownReuse: [String: ReusePolicy] = [:]
    var accounts: [Account]
    package var feed: FeedSettings
    /// The settings of faults at the start, or some time after it.
    package var faults: [FaultSetting]
    /// The seed of a random schedule of faults, or `nil` for no schedule.
    package var faultSchedule: UInt64?
    var limits = ConnectionLimits()

    /// Lets further connections wait while half of the files that the process may have open are
    /// connections.
    package mutating func limitConnections(toHalfOf openFiles: Int) {
        limits.connections = min(limits.connections, max(1, openFiles / 2))
    }

    package init(
        host: String = "127.0.0.1",
        allowedHosts: [String] = [],
        port: Int = usualPort,
        primary: String? = nil,
        accessLifetime: Double? = nil,
        refreshLifetime: Double? = nil,
        reuse: ReusePolicy? = nil,
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

    /// Whether only this machine can connect.
    package var isLoopback: Bool {
        RequestHost(host.has(":") ? "[\(host)]" : host)?.isLoopback ?? false
    }
}

/// The behavior of the feed, for every dialect.
package struct FeedSettings: Sendable, Hashable {
    /// The rejection of a client with an invalid token.
    package enum Refusal: Sendable, Hashable {
        /// With 403 in place of the upgrade, as ASGI servers do.
        case forbidden
        /// With a close frame with this code after the upgrade.
        case close(code: UInt16)
    }

    /// The fate of an open socket when its token expires.
    package enum Expiry: Sendable, Hashable {
        case ignore
        case close(code: UInt16)
    }

    /// The messages per second for each user, or 0 for a silent feed.
    var rate: Double
    var refusal: Refusal
    var expiry: Expiry
    /// The number of messages by which a socket may stay behind before it is closed with 1013, once
    /// it is more than five seconds behind.
    var maximumLag: Int64
    /// Whether messages are compressed for clients that offer it.
    package var compresses = true

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
