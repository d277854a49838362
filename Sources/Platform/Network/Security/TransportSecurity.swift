import Crypto
import NIOCore
import NIOSSL
package import Profiles

/// The requirements for the servers of one profile, and the client certificate that they are shown.
package struct TransportSecurity: Sendable, Hashable {
    package static let standard = TransportSecurity(pins: [], clientCertificate: nil)

    /// The public keys of which the server's certificate must have one; empty if any will do.
    let pins: [KeyPin]
    let clientCertificate: ClientCertificate?
    /// Whether they may be on this machine or its link: not those that a server elsewhere has named
    /// (RFC 9728 section 7.7).
    package let reachesNear: Bool

    package init(
        pins: [KeyPin],
        clientCertificate: ClientCertificate?,
        reachesNear: Bool = true
    ) {
        self.pins = pins
        self.clientCertificate = clientCertificate
        self.reachesNear = reachesNear
    }

    /// Returns the same for servers that may not be on this machine or its link.
    package var farOnly: TransportSecurity {
        TransportSecurity(pins: pins, clientCertificate: clientCertificate, reachesNear: false)
    }

    /// Returns which keys were pinned and which was seen, or `nil` if the certificate has one of
    /// them.
    func mismatch(of certificate: NIOSSLCertificate?) -> String? {
        guard !pins.isEmpty else { return nil }
        let key = try? certificate?.extractPublicKey().toSPKIBytes()
        let seen = key.map { KeyPin(digest: SHA256.hash(data: $0)) }
        if let seen, pins.contains(seen) { return nil }
        let pinned = pins.map(\.description).joined(separator: " or ")
        return "expected \(pinned), found \(seen?.description ?? "no key")"
    }
}

/// A certificate with its private key, which a server may demand (mutual TLS).
package struct ClientCertificate: Sendable, Hashable {
    let chain: [NIOSSLCertificate]
    let key: NIOSSLPrivateKey

    /// Reads the certificates and the key in PEM format; blocks while reading.
    ///
    /// - Parameters:
    ///   - path: The file with the client's certificate, and those of its issuers.
    ///   - key: The private key, without a passphrase.
    /// - Throws: `ClientCertificateError` without anything of the key.
    package init(file path: String, key: [UInt8]) throws(ClientCertificateError) {
        do {
            chain = try NIOSSLCertificate.fromPEMFile(path)
        } catch {
            throw .noCertificate
        }
        guard let first = chain.first else { throw .noCertificate }
        do {
            self.key = try NIOSSLPrivateKey(bytes: key, format: .pem)
        } catch {
            throw .noKey
        }
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.certificateChain = [.certificate(first)]
        configuration.privateKey = .privateKey(self.key)
        do {
            _ = try NIOSSLContext(configuration: configuration)
        } catch {
            throw .otherKey
        }
    }
}

package enum ClientCertificateError: Error, Sendable, Equatable {
    case noCertificate
    case noKey
    /// The key is not that of the certificate.
    case otherKey
}

extension TLSConfiguration {
    /// Returns the configuration that also shows the client's certificate.
    func showing(_ certificate: ClientCertificate?) -> TLSConfiguration {
        guard let certificate else { return self }
        var configuration = self
        configuration.certificateChain = certificate.chain.map { .certificate($0) }
        configuration.privateKey = .privateKey(certificate.key)
        return configuration
    }
}
