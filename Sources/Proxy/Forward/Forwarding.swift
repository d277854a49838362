import Basics
import FoundationEssentials
import NIOCore
import Platform
import Profiles

/// The state of a forward proxy, on the event loop of its server.
final class Forwarding {
    /// The servers and certificates that are kept; beyond it, all are made again.
    private static let limit = 256

    private let hosts: ForwardedHosts
    private let allowsNear: Bool
    private let authority: LocalAuthority
    private let trust: TrustRoots
    private let timekeeper: any Timekeeper
    private let loop: any EventLoop
    private let limit: Duration
    private let keepsEncoding: Bool
    private var listeners: [String: Listener] = [:]
    private var contexts: [String: AppTLS] = [:]

    init(
        _ configuration: ProxyConfiguration.Forward,
        trust: TrustRoots,
        timekeeper: any Timekeeper,
        on loop: any EventLoop,
        within limit: Duration,
        keepsEncoding: Bool
    ) {
        hosts = configuration.hosts
        allowsNear = configuration.allowsNear
        authority = configuration.authority
        self.trust = trust
        self.timekeeper = timekeeper
        self.loop = loop
        self.limit = limit
        self.keepsEncoding = keepsEncoding
    }

    /// Whether what goes to a server is opened.
    func isNamed(_ target: ForwardTarget) -> Bool { hosts.contains(target.host) }

    /// Returns why a server is not reached, or `nil` as far as it is known.
    func objection(to target: ForwardTarget) -> ForwardObjection? {
        allowsNear || isNamed(target) ? nil : target.objection
    }

    /// Returns why nothing is sent to an address, or `nil`.
    func objection(to address: String) -> ForwardObjection? {
        allowsNear || NetworkAddress(address)?.isNear == false ? nil : .near
    }

    /// Returns what stands in for a server, with its requests as the app sends them.
    ///
    /// - Throws: If there is no such server.
    func listener(for target: ForwardTarget, isSecure: Bool) throws -> Listener {
        let url = "\(isSecure ? "https" : "http")://\(target.authority)"
        if let known = listeners[url] { return known }
        let origin = try BackendOrigin(parsing: url, allowInsecure: true)
        let made = Listener(
            origin: origin,
            rewriter: HeadRewriter(
                ProxiedOrigins([ProxiedOrigin(origin, port: origin.port)], isSecure: isSecure),
                index: 0,
                options: HeadRewriter.Options(keepsEncoding: keepsEncoding, isTransparent: true)
            ),
            connector: try connector(to: origin),
            isObserved: isNamed(target)
        )
        if listeners.count >= Self.limit { listeners = [:] }
        listeners[url] = made
        return made
    }

    /// Returns what connects to a server, without TLS of the proxy's own.
    func connector(for target: ForwardTarget) throws -> OriginConnector {
        try connector(to: BackendOrigin(parsing: "http://\(target.authority)", allowInsecure: true))
    }

    private func connector(to origin: BackendOrigin) throws -> OriginConnector {
        try OriginConnector(
            to: origin,
            trust: trust,
            timekeeper: timekeeper,
            on: loop,
            within: limit
        )
    }

    /// Returns the TLS of a server with a certificate for a host.
    func tls(for host: RequestHost) throws -> AppTLS {
        if let known = contexts[host.name] { return known }
        let made = try authority.serverContext(at: timekeeper.moment.wall, named: host.name)
        if contexts.count >= Self.limit { contexts = [:] }
        contexts[host.name] = made
        return made
    }
}
