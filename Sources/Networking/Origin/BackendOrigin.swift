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
