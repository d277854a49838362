import Basics
import Platform
import Profiles

/// The hosts by which apps may name the proxy: those of this machine, and those that were allowed.
///
/// Without this, a page whose name resolves to this machine would read the backend through the proxy,
/// as the user who is logged in there, and a program that takes the proxy for one to every server
/// would send the backend what is meant for others.
struct ProxyHosts: Sendable {
    /// Names besides those of this machine, in lower case.
    let named: Set<String>
    /// The addresses by which other machines reach the proxy.
    let addresses: [NetworkAddress]

    init(named: some Sequence<String> = [], addresses: [NetworkAddress] = []) {
        self.named = Set(named.map { $0.asciiLowercased })
        self.addresses = addresses
    }

    /// Refuses a request that names another server.
    ///
    /// - Parameters:
    ///   - request: One whose `Host` is one host, or that has none, as HTTP/1.0 allows.
    ///   - local: The address of this machine that its connection came to.
    ///   - port: The port that it came to.
    /// - Returns: The answer and what the request names, or `nil` if it names this server.
    func refusal(of request: RequestMessage, at local: String?, port: Int) -> HostRefusal? {
        if let url = request.absoluteAuthority,
            let refusal = refusal(ofURL: url, request, at: local, port: port)
        {
            return refusal
        }
        guard let authority = request.authority else { return nil }
        let host = RequestHost(authority)
        guard !admits(host, at: local) else { return nil }
        let name = authority.shownHost
        let message =
            "refused the host \(name) of the request, so that no web page can reach the backend "
            + "under a name of its own (DNS rebinding): use localhost or 127.0.0.1, or start "
            + "authtop with --allow-host NAME"
        return HostRefusal(
            answer: ProxyResponse(status: 421, message: message),
            host: host?.name.inOneLine(limit: 80) ?? name,
            isURL: false,
            isAllowable: host.map(Self.isAllowable) ?? false
        )
    }

    private func refusal(
        ofURL url: String,
        _ request: RequestMessage,
        at local: String?,
        port: Int
    ) -> HostRefusal? {
        let target = RequestHost(url)
        let named = target?.port.map(Int.init) ?? (request.target.isHTTPS ? 443 : 80)
        let isTunnel = request.method == "CONNECT"
        if admits(target, at: local), named == port, !isTunnel { return nil }
        let message =
            "refused the URL of the request, which is that of another server: authtop stands in for "
            + "one backend, and is no proxy to others (http_proxy)"
        return HostRefusal(
            answer: ProxyResponse(status: 421, message: message),
            host: target?.name.inOneLine(limit: 80) ?? url.shownHost,
            isURL: true,
            isAllowable: named == port && !isTunnel && target.map(Self.isAllowable) ?? false
        )
    }

    /// Whether `--allow-host` takes a name, and a reader can tell it from others.
    private static func isAllowable(_ host: RequestHost) -> Bool {
        host.name.utf8.count <= 80 && !host.isAddress
    }

    private func admits(_ host: RequestHost?, at local: String?) -> Bool {
        guard let host else { return false }
        if host.isLoopback || named.contains(host.name) { return true }
        guard host.isAddress, let address = NetworkAddress(host.name) else { return false }
        return addresses.contains(address) || local.flatMap(NetworkAddress.init) == address
    }
}

/// The answer to a request that names another server, and the server that it names.
struct HostRefusal {
    let answer: ProxyResponse
    /// In one line and bounded.
    let host: String
    /// Whether the target names it, and not `Host`.
    let isURL: Bool
    /// Whether the request would be served if the host was allowed.
    let isAllowable: Bool
}

extension RequestMessage {
    /// The host and port of a target that is a URL, or that of a tunnel, or `nil` if it is neither.
    fileprivate var absoluteAuthority: String? {
        if method == "CONNECT" { return target }
        guard !target.begins(with: "/"), let mark = target.range(ofBytes: "://") else { return nil }
        return String(target[mark.upperBound...].prefix { !"/?#".contains($0) })
    }
}

extension String {
    /// An authority that is no host as it is shown: in one line, bounded, and without the name and
    /// password of a user.
    var shownHost: String {
        let host = utf8.lastIndex(of: UInt8(ascii: "@")).map { self[utf8.index(after: $0)...] }
        return String(host ?? self[...]).inOneLine(limit: 80)
    }

    fileprivate var isHTTPS: Bool { asciiLowercased.begins(with: "https:") }
}
