import NIOCore
package import Platform

/// The ports of a proxy server, and its changes to messages.
package struct ProxyConfiguration: Sendable {
    /// The address to listen at.
    package var host = "127.0.0.1"
    /// The addresses by which other machines reach the proxy.
    package var addresses: [NetworkAddress] = []
    /// The names and addresses in `Host` that are served besides those of this machine.
    package var allowedHosts: [String] = []
    /// Whether the backend gets the `Host` that the app sent.
    package var keepsHost = false
    /// Whether the app's `Accept-Encoding` stays, although such bodies cannot be read.
    package var keepsEncoding = false
    /// Whether `X-Forwarded-For`, `-Host` and `-Proto` are added to requests.
    package var addsForwarded = false
    /// The pages that get to read answers which the backend keeps from their origins, or `nil` if what
    /// answers say of that stays.
    package var crossOriginAccess: CrossOriginAccess?
    /// Vouches for the server, which then speaks TLS; `nil` for plain HTTP.
    package var authority: LocalAuthority?
    /// The session whose token the requests to the origins are sent with, or `nil` if they are sent as
    /// they are.
    package var serving: Serving?
    /// The path of a Unix socket to listen at in place of the port of the only origin, which other users
    /// cannot reach; `nil` for the port.
    package var socketPath: String?
    /// What is required of the backends' TLS besides, and the certificate that they are shown.
    package var security = TransportSecurity.standard
    /// A forward proxy beside the origins, or `nil` for none.
    package var forward: Forward?
    var trust: TrustRoots
    /// The limit for DNS, TCP and TLS together.
    var connectTimeout: Duration
    var idleLimits = IdleLimits()
    /// Finds the processes behind connections, or `nil` if they are not looked for.
    package var processes: ConnectionProcesses?
    /// The time within which a reset says that the app had not read what was written, as it does where
    /// the app had closed its connection before that came.
    var resetWindow = TimeAmount.seconds(2)
    /// The time that an app has to end a connection with TLS itself after its last answer, before it
    /// is ended here.
    var farewell = TimeAmount.milliseconds(100)
    /// The time after which an app that has sent nothing may have refused metadata.
    var issuerTimeout = TimeAmount.seconds(5)

    package init(trust: TrustRoots = .system, connectTimeout: Duration = .seconds(10)) {
        self.trust = trust
        self.connectTimeout = connectTimeout
    }
}

extension ProxyConfiguration {
    /// A port to which programs send all their requests, each of which names its server.
    package struct Forward: Sendable {
        let hosts: ForwardedHosts
        let port: Int
        let authority: LocalAuthority
        /// Whether hosts that are not named may be this machine.
        var allowsNear = false

        /// - Parameters:
        ///   - hosts: Those whose connections are opened.
        ///   - port: The port to listen on, 0 being any that is free.
        ///   - authority: Vouches for these hosts.
        package init(_ hosts: ForwardedHosts, port: Int, authority: LocalAuthority) {
            self.hosts = hosts
            self.port = port
            self.authority = authority
        }
    }
}

/// The time that a connection of an app may wait without a request, in seconds.
struct IdleLimits: Sendable {
    /// From the first byte of a request's head to its end.
    var head = 30.0
    /// Without a byte of a request; a browser keeps a spare connection for five minutes.
    var idle = 360.0

    init() {}
}
