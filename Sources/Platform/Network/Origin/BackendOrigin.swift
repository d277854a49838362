import Basics
import Profiles

/// The origin of a backend, the only place that its tokens are sent to.
///
/// Plain HTTP is allowed only to this machine, unless the caller permits more.
package struct BackendOrigin: Sendable, Hashable {
    package let isSecure: Bool
    package let port: Int
    /// Empty, or a path that begins with a slash and does not end with one.
    package let pathPrefix: String
    let host: OriginHost

    /// Parses a base URL.
    ///
    /// - Parameters:
    ///   - text: The URL, with a scheme, a host, and optionally a port and a path.
    ///   - allowInsecure: Whether plain HTTP to another machine is allowed.
    /// - Throws: `BackendOriginError`, whose message says what to write instead.
    package init(
        parsing text: String,
        allowInsecure: Bool = false
    ) throws(BackendOriginError) {
        var parts = try URLParts(text)
        while parts.path.ends(with: "/") { parts.path.removeLast() }
        isSecure = parts.isSecure
        host = try parts.host
        port = try parts.port ?? (parts.isSecure ? 443 : 80)
        pathPrefix = parts.path
        guard pathPrefix.isEmpty || RequestSyntax.isPath(pathPrefix) else {
            throw .badPath(pathPrefix)
        }
        guard isSecure || allowInsecure || host.isLoopback else { throw .clearText(address) }
    }

    /// The host and port as in a `Host` header, without the scheme's default port.
    package var authority: String {
        port == (isSecure ? 443 : 80) ? host.written : "\(host.written):\(port)"
    }

    /// Whether requests stay on this machine.
    package var isLoopback: Bool { host.isLoopback }

    /// Whether its host is this machine or an address on its link, as far as that is known before a
    /// name is resolved.
    package var isNear: Bool { isLoopback || NetworkAddress(host.bare)?.isNear == true }

    /// The host to connect to.
    ///
    /// Without TLS, a name below `localhost` is not sent to a name server, which might resolve it
    /// to another machine; with TLS, the certificate identifies the server.
    var connectHost: String {
        !isSecure && host.isLocalName ? "localhost" : host.bare
    }

    /// The name for TLS server name indication, or `nil` for an address (RFC 6066 section 3).
    var serverName: String? {
        if case .name = host { return connectHost }
        return nil
    }

    /// The origin without a path.
    package var withoutPath: BackendOrigin {
        BackendOrigin(isSecure: isSecure, port: port, pathPrefix: "", host: host)
    }

    private init(isSecure: Bool, port: Int, pathPrefix: String, host: OriginHost) {
        self.isSecure = isSecure
        self.port = port
        self.pathPrefix = pathPrefix
        self.host = host
    }

    private var address: String { "\(isSecure ? "https" : "http")://\(authority)" }
}

extension BackendOrigin: CustomStringConvertible {
    /// The base URL in its shortest form, without a trailing slash.
    package var description: String { address + pathPrefix }
}

/// The reason why a text is not a base URL; its message says what to write instead.
///
/// No case contains what may be a secret: a password or a query.
package enum BackendOriginError: Error, Sendable, Equatable {
    case empty
    /// The text, or `nil` if it might contain a secret.
    case noScheme(String?)
    case unknownScheme(String)
    case noHost
    case userInfo
    case badHost(String)
    /// A name outside ASCII.
    case foreignHost(String)
    case badPort(String)
    case query
    case fragment
    /// A path with characters that must be percent-encoded.
    case badPath(String)
    /// Plain HTTP to another machine, with the URL up to the port.
    case clearText(String)
}

extension BackendOriginError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .empty:
            "the base URL is empty: write one like https://api.example.com"
        case .noScheme(let text?):
            "\(text) has no scheme: put https:// in front of it, or http:// on this machine"
        case .noScheme(nil):
            "the base URL has no scheme: write one like https://api.example.com"
        case .unknownScheme(let scheme) where scheme == "ws" || scheme == "wss":
            "\(scheme):// is only for the feed: write the base URL with "
                + (scheme == "ws" ? "http://" : "https://") + "; the feed's URL is derived from it"
        case .unknownScheme(let scheme):
            "\(scheme):// is not supported: use https, or http on this machine"
        case .noHost:
            "the base URL has no host: write one like https://api.example.com"
        case .userInfo:
            "the base URL contains a user or password: remove it; credentials come from a prompt, "
                + "the environment or a file"
        case .badHost(let host):
            "\(host) is neither a host name nor an address (an IPv6 address goes in brackets)"
        case .foreignHost(let host):
            "\(host) is not in ASCII: write the host in its xn-- form"
        case .badPort(let port):
            "\(port) is not a port: use a number from 1 to 65535"
        case .query:
            "the base URL has a query: remove everything from the ? on; the dialect's paths have "
                + "their own"
        case .fragment:
            "the base URL has a fragment: remove everything from the # on; it is never sent"
        case .badPath(let path):
            "the path \(path) contains a character that must be percent-encoded"
        case .clearText(let url):
            "\(url) sends tokens in clear text: use https, or --allow-insecure to permit it"
        }
    }
}
