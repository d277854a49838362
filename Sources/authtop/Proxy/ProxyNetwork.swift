import Basics
import Platform
import Proxy
import UI

/// Where a proxy listens, the authorities that it trusts, and those that its apps are to trust.
struct ProxyNetwork {
    /// The settings of the server.
    private(set) var configuration: ProxyConfiguration
    /// What programs trust beside a forward proxy, or `nil` without one.
    let certificates: RunCertificates?
    /// The file of the certificate that apps must trust, if the proxy speaks TLS with them.
    let certificatePath: String?
    private let hosts: [String]
    /// The host in the addresses: one of the network if other machines may use the proxy.
    private let host: String
    private let isRemote: Bool
    private let addsCORS: Bool

    /// Makes the authority of the run if there is a forward proxy.
    ///
    /// - Parameters:
    ///   - arguments: The options of the command line.
    ///   - forwarded: The hosts whose connections are opened, or `nil` without a forward proxy.
    ///   - trust: Authorities of backends besides those of the command line.
    ///   - environment: Of the program.
    /// - Throws: `CommandFailure` if a certificate, or an authority, cannot be read or made.
    init(
        _ arguments: ProxyRunOptions,
        forwarding forwarded: ForwardedHosts?,
        alsoTrusting trust: TrustRoots? = nil,
        in environment: LiveEnvironment
    ) throws {
        let own = NetworkAddress(arguments.network.host)
        let addresses = own?.reachable ?? []
        let stored =
            arguments.network.usesTLS ? try StoredAuthority(in: environment, for: addresses) : nil
        let trusted = try environment.networkConfiguration(caFile: arguments.network.trust.caFile)
            .trust
        configuration = ProxyConfiguration(trust: trust.map(trusted.adding) ?? trusted)
        configuration.host = arguments.network.host
        configuration.keepsHost = arguments.messages.keepsHost
        configuration.keepsEncoding = arguments.messages.keepsEncoding
        configuration.addsForwarded = arguments.messages.addsForwarded
        configuration.crossOriginAccess = try arguments.messages.crossOriginAccess()
        configuration.addresses = addresses
        configuration.allowedHosts = arguments.network.allowedHosts
        configuration.authority = stored?.authority
        configuration.processes = ConnectionProcesses()
        certificatePath = stored?.certificatePath
        hosts = forwarded?.names ?? []
        host = addresses.first?.host ?? own.flatMap { $0.isLoopback ? $0.host : nil } ?? "127.0.0.1"
        isRemote = arguments.network.allowsRemote && !addresses.isEmpty
        addsCORS = arguments.messages.addsCORS
        guard let forwarded else {
            certificates = nil
            return
        }
        let authority: LocalAuthority
        do throws(LocalAuthorityError) {
            authority = try LocalAuthority.forRun(
                of: forwarded,
                at: environment.machineTime.moment.wall
            )
        } catch {
            throw CommandFailure(.badInput, "--forward: no certificate could be made")
        }
        certificates = RunCertificates(
            of: authority,
            for: forwarded,
            beside: arguments.network.trust.caFile,
            in: environment.variables,
            to: try AuthorityFiles(in: environment)
        )
        configuration.forward = ProxyConfiguration.Forward(
            forwarded,
            port: arguments.forwardPort,
            authority: authority
        )
    }

    /// The addresses for users, once the ports are known.
    ///
    /// - Parameters:
    ///   - origins: The backends, with the ports that stand in for them.
    ///   - port: That of the forward proxy, or `nil` without one.
    /// - Returns: The addresses of the proxy.
    func routes(to origins: [ProxiedOrigin], forward port: Int?) -> ProxyRoutes {
        let scheme = certificatePath == nil ? "http" : "https"
        return ProxyRoutes(
            origins.map { proxied in
                ProxyRoutes.Route(
                    address: "\(scheme)://\(host):\(proxied.port)",
                    port: proxied.port,
                    backend: proxied.origin.description
                )
            },
            forward: port.map { port in
                ProxyRoutes.Forward(
                    address: "http://\(host):\(port)",
                    hosts: hosts,
                    certificates: certificates?.path ?? ""
                )
            },
            certificate: certificatePath,
            isRemote: isRemote,
            addsCORS: addsCORS
        )
    }
}
