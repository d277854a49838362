package import Timekeeping

/// What the network is given by the program.
package struct NetworkConfiguration: Sendable {
    package var timekeeper: any Timekeeper
    package var trust: TrustRoots
    /// For the keys of WebSocket handshakes and masks; from a secure source outside tests.
    package var random: @Sendable () -> UInt64
    package var userAgent: String
    /// For DNS, TCP and TLS together; a request's own deadline may be earlier.
    package var connectTimeout: Duration

    package init(
        timekeeper: any Timekeeper,
        trust: TrustRoots = .system,
        random: @escaping @Sendable () -> UInt64,
        userAgent: String = "authtop",
        connectTimeout: Duration = .seconds(10)
    ) {
        self.timekeeper = timekeeper
        self.trust = trust
        self.random = random
        self.userAgent = userAgent
        self.connectTimeout = connectTimeout
    }
}
