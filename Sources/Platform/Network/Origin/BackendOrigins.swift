/// The origins of a backend: that of the base URL, and those that the profile names besides.
///
/// A request to any other origin is not sent.
package struct BackendOrigins: Sendable {
    package let base: BackendOrigin
    /// By the text in the profile.
    private let named: [String: BackendOrigin]
    /// The origin that must be reachable for a renewal.
    let renewal: BackendOrigin
    /// The TLS requirements for all of them.
    package let security: TransportSecurity

    /// - Parameters:
    ///   - base: The base URL.
    ///   - named: The other origins, by the text with which requests name them.
    ///   - renewal: The name of the origin that must be reachable for a renewal, or `nil` for that
    ///     of the base URL.
    ///   - security: The TLS requirements for all of them.
    package init(
        _ base: BackendOrigin,
        named: [String: BackendOrigin] = [:],
        renewal: String? = nil,
        security: TransportSecurity = .standard
    ) {
        self.base = base
        self.named = named
        self.security = security
        self.renewal = renewal.flatMap { named[$0] } ?? base
    }

    /// The root of the base URL's host, for requests about the server itself.
    package var root: BackendOrigins {
        BackendOrigins(base.withoutPath, security: security)
    }

    /// Whether all requests stay on this machine.
    package var areLoopback: Bool { all.allSatisfy(\.isLoopback) }

    /// Whether any of them uses TLS.
    var areSecure: Bool { all.contains(where: \.isSecure) }

    /// Returns the origin with a name, `nil` being the base URL.
    func origin(named name: String?) throws(NetworkFault) -> BackendOrigin {
        guard let name else { return base }
        guard let origin = named[name] else {
            throw .unfit("the profile does not name its host")
        }
        return origin
    }

    private var all: [BackendOrigin] { [base] + named.values }
}
