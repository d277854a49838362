import NIOSSL
import Synchronization

/// The contexts of TLS for sockets of feeds, one for the sessions of a backend: each has a copy of the
/// system's authorities.
final class TLSContexts: Sendable {
    private let trust: TrustRoots
    private let contexts = Mutex<[TransportSecurity: NIOSSLContext]>([:])

    init(trust: TrustRoots) {
        self.trust = trust
    }

    /// - Throws: If the trust roots cannot be used.
    func context(for security: TransportSecurity) throws -> NIOSSLContext {
        try contexts.withLock { contexts in
            if let existing = contexts[security] { return existing }
            let new = try NIOSSLContext(
                configuration: trust.clientConfiguration.showing(security.clientCertificate)
            )
            contexts[security] = new
            return new
        }
    }
}
