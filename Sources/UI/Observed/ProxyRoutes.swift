/// The addresses of a proxy, for a user who is to point an app at them.
package struct ProxyRoutes: Sendable, Equatable {
    /// An address of the proxy, and the backend behind it.
    package struct Route: Sendable, Equatable {
        /// Such as `http://127.0.0.1:9000`.
        package var address: String
        /// The port of the address.
        var port: Int
        /// Such as `https://api.example.com`.
        package var backend: String

        package init(address: String, port: Int, backend: String) {
            self.address = address
            self.port = port
            self.backend = backend
        }
    }

    /// A proxy to every server, which opens what goes to some hosts.
    package struct Forward: Sendable, Equatable {
        /// Such as `http://127.0.0.1:9000`.
        package var address: String
        /// Such as `*.example.com`.
        package var hosts: [String]
        /// The file of the certificates that apps must trust.
        package var certificates: String

        package init(address: String, hosts: [String], certificates: String) {
            self.address = address
            self.hosts = hosts
            self.certificates = certificates
        }
    }

    package var routes: [Route]
    package var forward: Forward?
    /// The file of the certificate that apps must trust, if the proxy speaks TLS with them.
    package var certificate: String?

    /// Whether other machines can use the proxy.
    var isRemote: Bool

    /// Whether answers get what a browser needs to give them to pages of other origins.
    var addsCORS: Bool

    package init(
        _ routes: [Route],
        forward: Forward? = nil,
        certificate: String? = nil,
        isRemote: Bool = false,
        addsCORS: Bool = false
    ) {
        self.routes = routes
        self.forward = forward
        self.certificate = certificate
        self.isRemote = isRemote
        self.addsCORS = addsCORS
    }

    /// The address that an app uses first: that of a backend's stand-in, or of the forward proxy.
    package var address: String { routes.first?.address ?? forward?.address ?? "" }

    /// Warnings that a user should know before trusting the proxy's display.
    package var warnings: [String] {
        (isExposed ? [Self.exposure] : []) + (addsCORS ? [Self.addition] : [])
    }

    /// Whether tokens cross the network between an app and the proxy as they are.
    var isExposed: Bool { isRemote && certificate == nil && !routes.isEmpty }

    private static let exposure =
        "other machines can use this proxy, and tokens cross the network as they are; --tls protects them"

    private static let addition =
        "--cors hides a bug that production will have: pages can read answers that the backend keeps from "
        + "their origin"

    /// Whether all backends are on this machine.
    var isLocal: Bool {
        let local = ["http://127.", "http://localhost:", "http://localhost/", "http://[::1]"]
        return forward == nil
            && routes.allSatisfy { route in
                route.backend == "http://localhost"
                    || local.contains(where: route.backend.hasPrefix)
            }
    }

    /// `http://127.0.0.1:9000 → https://api.example.com`, and in fewer words.
    var ways: [Line] {
        let all =
            routes.map { "\($0.address) → \($0.backend)" }
            + (forward.map { ["\($0.address) ⇄ \($0.hosts.joined(separator: ", "))"] } ?? [])
        let more = all.count > 1 ? " +\(all.count - 1)" : ""
        return [
            Line(all.joined(separator: ", ")), Line((all.first ?? "") + more),
            Line(address + more),
        ]
    }
}
