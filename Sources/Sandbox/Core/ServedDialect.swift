import Backend
import Dialects

/// A dialect as the sandbox serves it.
struct ServedDialect: Sendable {
    /// As it is written: what the root is shared out by.
    let own: Dialect
    /// With the sandbox's feed, and its end of a session, where it has none of its own.
    let dialect: Dialect
    let policy: BackendPolicy

    init(_ own: Dialect, configuration: SandboxConfiguration) {
        self.own = own
        dialect = own.withSandboxFeed().withSandboxSessionEnd()
        var policy = BackendPolicy(
            of: own,
            accessLifetime: configuration.accessLifetime,
            refreshLifetime: configuration.refreshLifetime,
            reuse: configuration.reuse
        )
        if let rotation = configuration.rotation[own.name] { policy.rotation = rotation }
        self.policy = policy
    }
}
