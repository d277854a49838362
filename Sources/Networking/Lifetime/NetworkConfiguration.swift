import NIOSSL
package import Timekeeping

/// What the network is given by the program.
package struct NetworkConfiguration: Sendable {
    package var timekeeper: any Timekeeper
    package var trust: TrustRoots
    /// For the keys of WebSocket handshakes and masks; from a secure source outside tests.
    package var random: @Sendable () -> UInt64
    package var userAgent: String
    /// For DNS, TCP and TLS together; a request's own deadline may be earlier.
    package var connectTimeout: Duration

    package init(
        timekeeper: any Timekeeper,
        trust: TrustRoots = .system,
        random: @escaping @Sendable () -> UInt64,
        userAgent: String = "authtop",
        connectTimeout: Duration = .seconds(10)
    ) {
        self.timekeeper = timekeeper
        self.trust = trust
        self.random = random
        self.userAgent = userAgent
        self.connectTimeout = connectTimeout
    }
}

/// Whom to trust under TLS: the system's authorities, and those of a file where one is given.
package struct TrustRoots: Sendable {
    private let additional: [NIOSSLCertificate]

    /// The system's authorities alone.
    package static let system = TrustRoots(additional: [])

    private init(additional: [NIOSSLCertificate]) {
        self.additional = additional
    }

    /// Reads a file of certificates in PEM form; it blocks while it reads.
    package init(caFile path: String) throws(TrustRootsError) {
        do {
            additional = try NIOSSLCertificate.fromPEMFile(path)
        } catch {
            throw TrustRootsError.unreadable(path)
        }
        guard !additional.isEmpty else { throw TrustRootsError.noCertificate(path) }
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

/// Why a CA file cannot be used.
package enum TrustRootsError: Error, Sendable, Equatable, CustomStringConvertible {
    case unreadable(String)
    case noCertificate(String)

    package var description: String {
        switch self {
        case .unreadable(let path):
            "\(path) cannot be read as certificates: --ca-file takes a file in PEM form"
        case .noCertificate(let path):
            "\(path) holds no certificate: --ca-file takes a file in PEM form"
        }
    }
}
