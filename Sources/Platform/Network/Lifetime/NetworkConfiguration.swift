package import Basics
import NIOSSL

/// The configuration of the network.
package struct NetworkConfiguration: Sendable {
    var timekeeper: any Timekeeper
    package var trust: TrustRoots
    var proxies: ProxySettings
    /// The random numbers for WebSocket keys and masks; from a secure source outside tests.
    var random: @Sendable () -> UInt64
    var userAgent: String
    /// The limit for DNS, TCP and TLS together; a request's own deadline may be earlier.
    var connectTimeout: Duration
    /// Whether the compression of the feed's messages is offered.
    package var compressesFeed = true

    package init(
        timekeeper: any Timekeeper,
        trust: TrustRoots = .system,
        proxies: ProxySettings = .none,
        random: @escaping @Sendable () -> UInt64,
        userAgent: String = "authtop",
        connectTimeout: Duration = .seconds(10)
    ) {
        self.timekeeper = timekeeper
        self.trust = trust
        self.proxies = proxies
        self.random = random
        self.userAgent = userAgent
        self.connectTimeout = connectTimeout
    }
}

/// The authorities that are trusted for TLS: the system's, and those of a file if one is given.
package struct TrustRoots: Sendable {
    private let additional: [NIOSSLCertificate]

    /// The system's authorities alone.
    package static let system = TrustRoots(additional: [])

    private init(additional: [NIOSSLCertificate]) {
        self.additional = additional
    }

    /// Reads a file of certificates in PEM format; blocks while reading.
    package init(caFile path: String) throws(TrustRootsError) {
        do {
            additional = try NIOSSLCertificate.fromPEMFile(path)
        } catch {
            throw TrustRootsError.unreadable(path)
        }
        guard !additional.isEmpty else { throw TrustRootsError.noCertificate(path) }
    }

    /// Reads certificates in PEM format.
    package init(pem: String) throws(TrustRootsError) {
        do {
            additional = try NIOSSLCertificate.fromPEMBytes(Array(pem.utf8))
        } catch {
            throw .unreadable("the text")
        }
    }

    /// These authorities and others.
    package func adding(_ others: TrustRoots) -> TrustRoots {
        TrustRoots(additional: additional + others.additional)
    }

    var clientConfiguration: TLSConfiguration {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.minimumTLSVersion = .tlsv12
        configuration.applicationProtocols = ["http/1.1"]
        if !additional.isEmpty {
            configuration.additionalTrustRoots = [.certificates(additional)]
        }
        return configuration
    }
}

/// The reason why a CA file cannot be used.
package enum TrustRootsError: Error, Sendable, Equatable, CustomStringConvertible {
    case unreadable(String)
    case noCertificate(String)

    package var description: String {
        switch self {
        case .unreadable(let path):
            "\(path) cannot be read as certificates: --ca-file takes a file in PEM format"
        case .noCertificate(let path):
            "\(path) contains no certificate: --ca-file takes a file in PEM format"
        }
    }
}
