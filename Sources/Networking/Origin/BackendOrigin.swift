import Dialects

/// Where a backend is: the only place that its tokens are sent to.
///
/// Plain HTTP is for this machine alone, unless whoever asks insists.
package struct BackendOrigin: Sendable, Hashable {
    package let isSecure: Bool
    package let port: Int
    /// Empty, or a path that begins with a slash and does not end with one.
    package let pathPrefix: String
    let host: OriginHost

    /// Reads a base URL.
    ///
    /// - Parameters:
    ///   - text: Scheme, host, perhaps a port and a path; nothing else.
    ///   - allowInsecure: Plain HTTP to another machine is meant.
    /// - Throws: What is wrong with the text, as text that say what to write instead.
    package init(
        parsing text: String,
        allowInsecure: Bool = false
    ) throws(BackendOriginError) {
        var parts = try URLParts(text)
        while parts.path.hasSuffix("/") { parts.path.removeLast() }
        isSecure = parts.isSecure
        host = try parts.host
        port = try parts.port ?? (parts.isSecure ? 443 : 80)
        pathPrefix = parts.path
        guard pathPrefix.isEmpty || RequestSyntax.isPath(pathPrefix) else {
            throw .badPath(pathPrefix)
        }
        guard isSecure || allowInsecure || host.isLoopback else { throw .clearText(address) }
    }

    /// Host and port, as a `Host` header says it: no port where it is the scheme's own.
    package var authority: String {
        port == (isSecure ? 443 : 80) ? host.written : "\(host.written):\(port)"
    }

    /// Whether what is sent there stays on this machine.
    package var isLoopback: Bool { host.isLoopback }

    /// What to connect to.
    ///
    /// A name below `localhost` in clear text never reaches a name server that might send it
    /// elsewhere; under TLS the certificate says who is there.
    var connectHost: String {
        !isSecure && host.isLocalName ? "localhost" : host.bare
    }

    /// What TLS indicates as the server's name: an address is none (RFC 6066 section 3).
    var serverName: String? {
        if case .name = host { return connectHost }
        return nil
    }

    /// The origin itself, without a path.
    var withoutPath: BackendOrigin {
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
    /// The base URL in its shortest form, without a slash at its end.
    package var description: String { address + pathPrefix }
}

/// Why a text is no base URL; its words say what to write instead.
///
/// No case carries what may be a secret: a password, or a query.
package enum BackendOriginError: Error, Sendable, Equatable {
    case empty
    /// Carries the text, unless it might hold a secret.
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
    /// A path with characters that have to be percent-encoded.
    case badPath(String)
    /// Plain HTTP to another machine; carries the URL as far as the port.
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
            "\(scheme):// is for the feed alone: write the base URL with "
                + (scheme == "ws" ? "http://" : "https://") + ", and the feed follows"
        case .unknownScheme(let scheme):
            "\(scheme):// is no way to reach a backend: use https, or http on this machine"
        case .noHost:
            "the base URL has no host: write one like https://api.example.com"
        case .userInfo:
            "the base URL holds a user or password: take it out, credentials come by a prompt, "
                + "the environment or a file"
        case .badHost(let host):
            "\(host) is neither a host name nor an address (an IPv6 address goes in brackets)"
        case .foreignHost(let host):
            "\(host) is not in ASCII: write the host in its xn-- form"
        case .badPort(let port):
            "\(port) is no port: use a number from 1 to 65535"
        case .query:
            "the base URL has a query: take the part from the ? out, the dialect's paths have "
                + "their own"
        case .fragment:
            "the base URL has a fragment: take the part from the # out, it is never sent"
        case .badPath(let path):
            "the path \(path) holds a character that has to be percent-encoded"
        case .clearText(let url):
            "\(url) sends tokens in clear text: use https, or --allow-insecure if you mean it"
        }
    }
}
