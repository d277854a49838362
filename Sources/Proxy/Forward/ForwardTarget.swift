import Basics
import Platform
import Profiles

/// The server that a request to a forward proxy names.
struct ForwardTarget {
    /// The largest port that only a system's administrator may listen on, but for those of the web.
    private static let privileged = 1023

    let host: RequestHost
    let port: Int
    /// The host as the request writes it, and its port if it does.
    let written: String
    /// The path and query that the request writes; empty for a tunnel.
    private let rest: String

    /// Parses the target of CONNECT (RFC 9112 section 3.2.3).
    init?(tunnel target: String) {
        guard let host = RequestHost(target), let port = host.port, port > 0 else { return nil }
        self.init(host: host, port: Int(port), written: target, rest: "")
    }

    /// Parses a target that is a URL of http (RFC 9112 section 3.2.2); with https, there is a tunnel.
    init?(url: String) {
        let mark = "http://"
        guard url.asciiLowercased.begins(with: mark) else { return nil }
        let rest = url.utf8.dropFirst(mark.utf8.count)
        let written = String(Substring(rest.prefix { !"/?#".utf8.contains($0) }))
        guard let host = RequestHost(written), host.port != 0 else { return nil }
        self.init(
            host: host,
            port: host.port.map(Int.init) ?? 80,
            written: written,
            rest: String(Substring(rest.dropFirst(written.utf8.count)))
        )
    }

    private init(host: RequestHost, port: Int, written: String, rest: String) {
        self.host = host
        self.port = port
        self.written = written
        self.rest = rest
    }

    /// Returns the target of a request to the server itself (RFC 9112 sections 3.2.1 and 3.2.4).
    func target(of method: String) -> String {
        if rest.isEmpty, method == "OPTIONS" { return "*" }
        return rest.begins(with: "/") ? rest : "/\(rest)"
    }

    /// The host and the port as in a URL.
    var authority: String {
        "\(written.begins(with: "[") ? "[\(host.name)]" : host.name):\(port)"
    }

    /// Why it is not reached unless its host is named, as far as that is known before a name is
    /// resolved, or `nil`.
    ///
    /// So the proxy leads neither to what this machine keeps to itself, nor to mail servers and
    /// the like.
    var objection: ForwardObjection? {
        if host.isLoopback || NetworkAddress(host.name)?.isNear == true { return .near }
        return port > Self.privileged || port == 443 || port == 80 ? nil : .port
    }
}

/// The reason why a forward proxy does not pass something on.
enum ForwardObjection: Sendable, Hashable {
    case near
    case port
    case itself

    /// The answer to a program that asked for a server.
    func answer(of server: String) -> ProxyResponse {
        ProxyResponse(status: self == .itself ? 502 : 403, message: message(of: server))
    }

    func message(of server: String) -> String {
        let name = server.inOneLine(limit: 80)
        return switch self {
        case .near:
            "\(name) is on this machine or its link: the proxy reaches it only if --forward names it"
        case .port:
            "\(name) has another port below 1024 than 80 and 443: the proxy reaches it only if "
                + "--forward names it"
        case .itself: "\(name) is the proxy itself"
        }
    }
}
