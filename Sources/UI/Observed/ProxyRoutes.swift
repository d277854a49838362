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

    package var routes: [Route]
    /// The file of the certificate that apps must trust, if the proxy speaks TLS with them.
    package var certificate: String?

    /// Whether other machines can use the proxy.
    var isRemote: Bool

    /// Whether answers get what a browser needs to give them to pages of other origins.
    var addsCORS: Bool

    package init(
        _ routes: [Route],
        certificate: String? = nil,
        isRemote: Bool = false,
        addsCORS: Bool = false
    ) {
        self.routes = routes
        self.certificate = certificate
        self.isRemote = isRemote
        self.addsCORS = addsCORS
    }

    /// Warnings that a user should know before trusting the proxy's display.
    package var warnings: [String] {
        (isExposed ? [Self.exposure] : []) + (addsCORS ? [Self.addition] : [])
    }

    /// Whether tokens cross the network between an app and the proxy as they are.
    var isExposed: Bool { isRemote && certificate == nil }

    private static let exposure =
        "other machines can use this proxy, and tokens cross the network as they are; --tls protects them"

    private static let addition =
        "--cors hides a bug that production will have: pages can read answers that the backend keeps from "
        + "their origin"

    /// Whether all backends are on this machine.
    var isLocal: Bool {
        let local = ["http://127.", "http://localhost:", "http://localhost/", "http://[::1]"]
        return routes.allSatisfy { route in
            route.backend == "http://localhost" || local.contains(where: route.backend.hasPrefix)
        }
    }

    /// `http://127.0.0.1:9000 → https://api.example.com`, and in fewer words.
    var ways: [Line] {
        let first = routes.first
        let more = routes.count > 1 ? " +\(routes.count - 1)" : ""
        return [
            Line(routes.map { "\($0.address) → \($0.backend)" }.joined(separator: ", ")),
            Line((first.map { "\($0.address) → \($0.backend)" } ?? "") + more),
            Line((first?.address ?? "") + more),
        ]
    }

    /// Instructions for an app that does not use the proxy yet.
    func guide(columns: Int) -> [Line] {
        guard let route = routes.first else { return [] }
        let address = route.address
        let rows =
            certificate.map { Self.secureRows(route, $0) }
            ?? (isRemote ? Self.remoteRows(route) : Self.plainRows(route))
        let warning = warnings.flatMap {
            (Line("✗ ", .bad) + Line($0, .bad)).wrapped(to: columns)
        }
        let head: Line = "Have your app use \(address, .strong) in place of \(route.backend)."
        let others = routes.dropFirst().map { Line("\($0.address) stands in for \($0.backend).") }
        let tail = Line(
            "Each session appears here with its first request: its tokens, what it sends, and what "
                + "goes wrong. Nothing is sent that the app did not send."
        )
        let width = 15
        return warning + head.wrapped(to: columns) + others.map { $0.limited(to: columns) } + [
            Line()
        ]
            + rows.flatMap { name, text in
                // File names are not cut.
                let lines =
                    certificate == nil ? [Line(text)] : Line(text).wrapped(to: columns - width)
                return lines.enumerated().map { index, line in
                    (Line(index == 0 ? name : "", .dim).fitted(to: width) + line)
                        .limited(to: columns)
                }
            } + [Line()] + tail.wrapped(to: columns)
    }

    private static func plainRows(_ route: Route) -> [(String, String)] {
        let (address, port) = (route.address, route.port)
        return [
            ("curl", "curl -i \(address)/"),
            (".env", "API_URL=\(address)"),
            ("Vite", "VITE_API_URL=\(address) npm run dev"),
            ("browser", "http://authtop.localhost:\(port), which keeps its cookies apart"),
            ("iOS simulator", "http://localhost:\(port)"),
            ("Android", "adb reverse tcp:\(port) tcp:\(port), then \(address)"),
        ]
    }

    private static func remoteRows(_ route: Route) -> [(String, String)] {
        [
            ("a phone", "\(route.address), in the same network"),
            ("iOS", "NSAllowsLocalNetworking in the debug build's Info.plist"),
            ("Android", "cleartextTrafficPermitted in the debug network_security_config"),
            ("curl", "curl -i \(route.address)/"),
            (".env", "API_URL=\(route.address)"),
        ]
    }

    private static func secureRows(_ route: Route, _ certificate: String) -> [(String, String)] {
        [
            ("curl", "curl -i --cacert \(certificate) \(route.address)/"),
            (".env", "API_URL=\(route.address)"),
            ("Node", "NODE_EXTRA_CA_CERTS=\(certificate)"),
            ("browser", "https://authtop.localhost:\(route.port), once it trusts the certificate"),
            ("all others", "authtop proxy ca says how to trust the certificate"),
        ]
    }
}
