import Basics

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

    /// Instructions for an app that does not use the proxy yet.
    func guide(columns: Int) -> [Line] {
        if let forward, routes.isEmpty { return Self.guide(forward, columns: columns) }
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
        return warning + head.wrapped(to: columns) + others.map { $0.limited(to: columns) } + [
            Line()
        ] + Self.table(rows, columns: columns) + [Line()]
            + tail.wrapped(to: columns)
    }

    /// Commands beside their names, or below them where a path or a URL would have to be broken
    /// otherwise: it is copied in one piece.
    private static func table(_ rows: [(String, String)], columns: Int) -> [Line] {
        let width = 15
        let longest = rows.flatMap { $0.1.parts(at: " ") }.map { Line(String($0)).width }.max() ?? 0
        let isBeside = longest <= columns - width
        return rows.flatMap { name, text in
            let lead = isBeside ? width : 2
            let lines = pieces(of: text, columns: columns - lead).flatMap {
                Line($0).wrapped(to: columns - lead)
            }
            let first = isBeside ? [] : [Line(name, .dim)]
            return first
                + lines.enumerated().map { index, line in
                    Line(isBeside && index == 0 ? name : "", .dim).fitted(to: lead) + line
                }
        }
    }

    /// The text in rows that break at blanks, and after the `=` of a variable whose value has room in a
    /// row of its own only.
    private static func pieces(of text: String, columns: Int) -> [String] {
        var rows: [String] = []
        func add(_ piece: String) {
            if let last = rows.last, Line("\(last) \(piece)").width <= columns {
                rows[rows.count - 1] += " \(piece)"
            } else {
                rows.append(piece)
            }
        }
        for word in text.parts(at: " ").map(String.init) {
            let parts = word.parts(at: "=", limit: 2)
            if parts.count == 2, Line(word).width > columns {
                add("\(parts[0])=")
                rows.append(String(parts[1]))
            } else {
                add(word)
            }
        }
        return rows
    }

    /// Instructions for a program that does not use the forward proxy yet.
    private static func guide(_ forward: Forward, columns: Int) -> [Line] {
        let (address, file) = (forward.address, forward.certificates)
        let rows = [
            ("a shell", "export HTTPS_PROXY=\(address) SSL_CERT_FILE=\(file)"),
            ("curl", "curl --proxy \(address) --cacert \(file) …"),
            ("and Python", "REQUESTS_CA_BUNDLE=\(file)"),
            ("and Node 24", "NODE_USE_ENV_PROXY=1 NODE_EXTRA_CA_CERTS=\(file)"),
            (
                "all of it",
                "authtop proxy --forward \(forward.hosts.joined(separator: ",")) --exec COMMAND"
            ),
        ]
        let head: Line =
            "Let programs use the proxy \(address, .strong) and trust its certificate."
        let tail = Line(
            "What goes to \(forward.hosts.joined(separator: ", ")) appears here; everything else passes "
                + "unseen, and nothing is rewritten."
        )
        return head.wrapped(to: columns) + [Line()] + table(rows, columns: columns) + [Line()]
            + tail.wrapped(to: columns)
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
