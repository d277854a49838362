import Basics

/// What to type, or to change, so that an app uses a proxy: a page for each kind of app.
struct AppGuide {
    /// A kind of app.
    enum Kind: Int, Sendable, CaseIterable {
        case browser
        case mobile
        case server
        case grpc
        case commandLine

        var title: String {
            switch self {
            case .browser: "browser app"
            case .mobile: "mobile"
            case .server: "server"
            case .grpc: "gRPC"
            case .commandLine: "command line"
            }
        }

        /// The kind `step` further round.
        func neighbor(by step: Int) -> Self {
            let all = Self.allCases
            return all[(rawValue + step + all.count) % all.count]
        }
    }

    /// What is set, and to what.
    typealias Row = (name: String, text: String)

    private static let nameWidth = 15

    let routes: ProxyRoutes

    /// The page that is shown first.
    static func firstKind(of routes: ProxyRoutes) -> Kind {
        routes.routes.isEmpty ? .commandLine : .browser
    }

    /// The page of a kind.
    ///
    /// - Parameters:
    ///   - kind: The kind of app.
    ///   - columns: Its width.
    /// - Returns: The lines, of which the first ones matter the most.
    func lines(_ kind: Kind, columns: Int) -> [Line] {
        let warning = routes.warnings.flatMap {
            (Line("✗ ", .bad) + Line($0, .bad)).wrapped(to: columns)
        }
        return warning + head.flatMap { $0.wrapped(to: columns) } + [Line()]
            + [Self.tabs(kind).limited(to: columns), Line()]
            + Self.table(rows(kind), columns: columns) + [Line()]
            + tail.wrapped(to: columns)
    }

    private static func tabs(_ kind: Kind) -> Line {
        Kind.allCases.map { other in
            other == kind ? Line("▸\(other.title)", .focus) : Line(" \(other.title)", .dim)
        }
        .joined(by: Line(" "))
    }

    /// Commands beside their names, or below those where a path or a URL would have to be broken
    /// otherwise: it is copied in one piece.
    private static func table(_ rows: [Row], columns: Int) -> [Line] {
        rows.flatMap { name, text in
            let longest = text.parts(at: " ").map { Line(String($0)).width }.max() ?? 0
            let isBeside = longest <= columns - nameWidth
            let lead = isBeside ? nameWidth : 2
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

    private var head: [Line] {
        let backends = routes.routes.enumerated().map { index, route -> Line in
            index == 0
                ? "Have your app use \(route.address, .strong) in place of \(route.backend)."
                : "\(route.address) stands in for \(route.backend)."
        }
        guard let forward = routes.forward else { return backends }
        let program: Line =
            "Have your program use the proxy \(forward.address, .strong) and trust its certificate."
        return backends + [program]
    }

    private var tail: Line {
        guard let forward = routes.forward, routes.routes.isEmpty else {
            return Line(
                "Each session appears here with its first request: its tokens, what it sends, and what "
                    + "goes wrong. Nothing is sent that the app did not send."
            )
        }
        return Line(
            "What goes to \(forward.hosts.joined(separator: ", ")) appears here; everything else passes "
                + "unseen. Nothing is rewritten, and nothing is sent that the program did not send."
        )
    }

    private func rows(_ kind: Kind) -> [Row] {
        if let route = routes.routes.first { return rows(kind, at: route) }
        return routes.forward.map { Self.rows(kind, behind: $0) } ?? []
    }
}

// An address in place of the backend's.
extension AppGuide {
    private func rows(_ kind: Kind, at route: ProxyRoutes.Route) -> [Row] {
        let (address, port) = (route.address, route.port)
        let host = String((address.range(ofBytes: "://").map { address[$0.upperBound...] }) ?? "")
        let fixed = "authtop proxy --forward \(route.host) --exec"
        switch kind {
        case .browser:
            return [
                ("Vite", "VITE_API_URL=\(address)"),
                ("Next.js", "NEXT_PUBLIC_API_URL=\(address)"),
                ("dev server", "target: \"\(address)\", where it has a proxy"),
                browser(port, address),
                ("CORS", "--cors, if answers are not for pages of other origins"),
            ] + certificateRows
        case .mobile: return mobileRows(route)
        case .server:
            return [
                (".env", "API_URL=\(address)"), ("a shell", "API_URL=\(address) npm start"),
                ("Docker", "docker run --network host -e API_URL=\(address) …"),
                ("fixed address", "\(fixed) \"npm start\""),
            ] + trustRows
        case .grpc:
            return
                (routes.certificate == nil
                ? [
                    ("Python", "grpc.insecure_channel(\"\(host)\")"),
                    ("Node", "new Client(\"\(host)\", credentials.createInsecure())"),
                    ("grpcurl", "grpcurl -plaintext \(host) list"),
                ]
                : [
                    ("Python, C++", "a secure channel to localhost:\(port)"),
                    ("its trust", "GRPC_DEFAULT_SSL_ROOTS_FILE_PATH=\(routes.certificate ?? "")"),
                ]) + [("fixed address", "\(fixed) \"my-client\"")]
        case .commandLine:
            let trust = routes.certificate.map { " --cacert \($0)" } ?? ""
            return [
                ("curl", "curl -i\(trust) \(address)/"), ("a flag", "my-cli --api-url \(address)"),
                ("a variable", "API_URL=\(address) my-cli"),
                ("fixed address", "\(fixed) my-cli"),
            ] + trustRows
        }
    }

    private func browser(_ port: Int, _ address: String) -> Row {
        guard !routes.isRemote else { return ("browser", "\(address), in the same network") }
        return routes.certificate == nil
            ? ("browser", "http://authtop.localhost:\(port), which keeps its cookies apart")
            : ("browser", "https://authtop.localhost:\(port), once it trusts the certificate")
    }

    private var trustRows: [Row] {
        routes.certificate.map {
            [("Node", "NODE_EXTRA_CA_CERTS=\($0)"), ("all others", "authtop proxy ca says how")]
        } ?? []
    }

    private func mobileRows(_ route: ProxyRoutes.Route) -> [Row] {
        let (address, port) = (route.address, route.port)
        guard !routes.isRemote else {
            return [
                ("a phone", "\(address), in the same network"),
                ("iOS", "NSAllowsLocalNetworking in the debug build's Info.plist"),
                ("Android", "cleartextTrafficPermitted in the debug network_security_config"),
                ("Expo", "EXPO_PUBLIC_API_URL=\(address) npx expo start"),
            ]
        }
        let scheme = routes.certificate == nil ? "http" : "https"
        return [
            ("iOS simulator", "\(scheme)://localhost:\(port)"),
            ("Android", "adb reverse tcp:\(port) tcp:\(port), then \(address)"),
            ("Expo", "EXPO_PUBLIC_API_URL=\(address) npx expo start"),
            ("a phone", "authtop proxy --to \(route.backend) --host 0.0.0.0 --allow-remote"),
        ]
            + certificateRows
    }

    private var certificateRows: [Row] {
        routes.certificate == nil
            ? [] : [("certificate", "authtop proxy ca says how to trust it")]
    }
}

// A proxy to every server.
extension AppGuide {
    private static func rows(_ kind: Kind, behind forward: ProxyRoutes.Forward) -> [Row] {
        let (address, file) = (forward.address, forward.certificates)
        let hosts = forward.hosts.joined(separator: ",")
        let exec = { (command: String) -> Row in
            ("simplest", "authtop proxy --forward \(hosts) --exec \"\(command)\"")
        }
        switch kind {
        case .browser:
            return [
                ("its settings", "the proxy \(address), for HTTPS too"),
                ("its trust", "the first certificate of \(file), as an authority"),
                ("or simpler", "authtop proxy --to https://\(forward.hosts.first ?? "")"),
            ]
        case .mobile:
            return [
                ("a device", "the proxy of its network: this machine, with --allow-remote"),
                ("its trust", "the first certificate of \(file)"),
                ("Android", "trust-anchors of the user in the debug network_security_config"),
                ("or simpler", "authtop proxy --to https://\(forward.hosts.first ?? "")"),
            ]
        case .server:
            return [
                exec("npm start"),
                ("a shell", "export HTTPS_PROXY=\(address) SSL_CERT_FILE=\(file)"),
                ("Python", "the same, and REQUESTS_CA_BUNDLE=\(file)"),
                ("Node 24", "NODE_USE_ENV_PROXY=1 NODE_EXTRA_CA_CERTS=\(file)"),
            ]
        case .grpc:
            return [
                exec("my-client"), ("a shell", "export https_proxy=\(address)"),
                ("Python, C++", "GRPC_DEFAULT_SSL_ROOTS_FILE_PATH=\(file)"),
                ("Go", "SSL_CERT_FILE=\(file)"),
            ]
        case .commandLine:
            return [
                exec("my-cli"), ("curl", "curl --proxy \(address) --cacert \(file) …"),
                ("a shell", "export HTTPS_PROXY=\(address) SSL_CERT_FILE=\(file)"),
                ("git", "https_proxy=\(address) GIT_SSL_CAINFO=\(file) git …"),
            ]
        }
    }
}

extension ProxyRoutes.Route {
    /// The host of the backend, as a name.
    fileprivate var host: String {
        let rest = backend.range(ofBytes: "://").map { backend[$0.upperBound...] } ?? backend[...]
        let host = String(rest.part(before: "/").part(before: ":"))
        return host.begins(with: "127.") || host.begins(with: "[") ? "localhost" : host
    }
}
