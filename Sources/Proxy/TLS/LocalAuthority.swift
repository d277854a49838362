import Crypto
package import FoundationEssentials
import NIOCore
import NIOSSL
package import Platform
import SwiftASN1
import X509

/// A certificate authority of this machine's user, for the addresses of a proxy and nothing else.
///
/// Its certificate says that it vouches only for names and addresses of this machine (RFC 5280
/// section 4.2.1.10), so a thief of its key cannot pretend to be another server to those who trust
/// it. Addresses in a network are among them only if they were asked for.
package struct LocalAuthority: Sendable {
    private static let day = 86_400.0
    private static let loopback4: [UInt8] = [127, 0, 0, 1]
    private static let loopback6 = [UInt8](repeating: 0, count: 15) + [1]

    private let key: P256.Signing.PrivateKey
    private let certificate: Certificate

    /// Makes an authority, for two years.
    ///
    /// - Parameters:
    ///   - now: The time.
    ///   - addresses: The addresses of this machine that it vouches for besides loopback.
    /// - Returns: An authority with a new key.
    /// - Throws: `LocalAuthorityError.unusable`.
    package static func fresh(
        at now: Date,
        for addresses: [NetworkAddress] = []
    ) throws(LocalAuthorityError) -> LocalAuthority {
        try make(
            from: now.addingTimeInterval(-day),
            until: now.addingTimeInterval(730 * day),
            for: constraints(of: addresses)
        )
    }

    /// Makes an authority for one run, for 24 hours, that vouches for these hosts and no others.
    ///
    /// - Parameters:
    ///   - hosts: The names.
    ///   - now: The time.
    /// - Returns: An authority with a new key.
    /// - Throws: `LocalAuthorityError.unusable`.
    package static func forRun(
        of hosts: ForwardedHosts,
        at now: Date
    ) throws(LocalAuthorityError) -> LocalAuthority {
        // What is not constrained is allowed, so addresses are excluded, of either length.
        let addresses = [8, 32].map {
            ASN1OctetString(contentBytes: [UInt8](repeating: 0, count: $0)[...])
        }
        return try make(
            from: now.addingTimeInterval(-300),
            until: now.addingTimeInterval(day - 300),
            for: NameConstraints(
                permittedDNSDomains: hosts.constraints,
                excludedIPRanges: addresses
            )
        )
    }

    private static func make(
        from start: Date,
        until end: Date,
        for names: NameConstraints
    ) throws(LocalAuthorityError) -> LocalAuthority {
        let key = P256.Signing.PrivateKey()
        do {
            let publicKey = Certificate.PublicKey(key.publicKey)
            let identifier = SubjectKeyIdentifier(hash: publicKey)
            // The key is part of the name, so that two authorities are told apart.
            let mark = identifier.keyIdentifier.prefix(4).map { byte in
                (byte < 16 ? "0" : "") + String(byte, radix: 16)
            }
            let name = try DistinguishedName {
                OrganizationName("authtop")
                CommonName("authtop local authority \(mark.joined())")
            }
            let certificate = try Certificate(
                version: .v3,
                serialNumber: Certificate.SerialNumber(),
                publicKey: publicKey,
                notValidBefore: start,
                notValidAfter: end,
                issuer: name,
                subject: name,
                extensions: try Certificate.Extensions {
                    Critical(BasicConstraints.isCertificateAuthority(maxPathLength: 0))
                    Critical(KeyUsage(keyCertSign: true, cRLSign: true))
                    Critical(names)
                    identifier
                },
                issuerPrivateKey: Certificate.PrivateKey(key)
            )
            return LocalAuthority(key: key, certificate: certificate)
        } catch {
            throw .unusable
        }
    }

    /// Names below `localhost`, 127.0.0.0/8 and ::1, and single addresses.
    private static func constraints(of addresses: [NetworkAddress]) -> NameConstraints {
        let loopback: [[UInt8]] = [
            [127, 0, 0, 0, 255, 0, 0, 0], loopback6 + [UInt8](repeating: 255, count: 16),
        ]
        let ranges =
            loopback
            + addresses.map { $0.bytes + [UInt8](repeating: 255, count: $0.bytes.count) }
        return NameConstraints(
            permittedDNSDomains: ["localhost"],
            permittedIPRanges: ranges.map { ASN1OctetString(contentBytes: $0[...]) }
        )
    }

    /// The addresses in a network that it vouches for.
    package var addresses: [NetworkAddress] {
        let ranges = (try? certificate.extensions.nameConstraints)?.permittedIPRanges
        return (ranges ?? []).compactMap { range in
            let bytes = Array(range.bytes)
            guard bytes.suffix(bytes.count / 2).allSatisfy({ $0 == 255 }) else { return nil }
            return NetworkAddress(bytes: Array(bytes.prefix(bytes.count / 2)))
        }
        .filter { !$0.isLoopback }
    }

    private init(key: P256.Signing.PrivateKey, certificate: Certificate) {
        self.key = key
        self.certificate = certificate
    }

    /// Reads what `pem` returned.
    ///
    /// - Parameters:
    ///   - pem: The key, and the certificate.
    ///   - now: The time.
    /// - Throws: `LocalAuthorityError`, with nothing of the key.
    package init(pem: String, at now: Date) throws(LocalAuthorityError) {
        do {
            let documents = try PEMDocument.parseMultiple(pemString: pem)
            guard documents.count == 2 else { throw LocalAuthorityError.unreadable }
            key = try P256.Signing.PrivateKey(pemRepresentation: documents[0].pemString)
            certificate = try Certificate(pemDocument: documents[1])
        } catch {
            throw .unreadable
        }
        guard certificate.publicKey == Certificate.PublicKey(key.publicKey) else {
            throw .unreadable
        }
        guard certificate.notValidAfter > now.addingTimeInterval(Self.day) else { throw .expired }
    }

    /// The key and the certificate in PEM format.
    package var pem: String { key.pemRepresentation + "\n" + certificatePEM }

    /// The certificate alone, which is no secret.
    package var certificatePEM: String {
        ((try? certificate.serializeAsPEM().pemString) ?? "") + "\n"
    }

    /// The common name of its certificate.
    package var name: String {
        for attribute in certificate.subject.lazy.flatMap({ $0 })
        where attribute.type == .RDNAttributeType.commonName {
            return String(describing: attribute.value)
        }
        return ""
    }

    package var endsAt: Date { certificate.notValidAfter }

    /// Makes a server's key and its certificate, for 30 days.
    ///
    /// - Parameters:
    ///   - now: The time.
    ///   - addresses: The addresses by which other machines reach the server.
    /// - Returns: The TLS of a server with this certificate.
    /// - Throws: If a library refuses it.
    func serverContext(
        at now: Date,
        addresses: [NetworkAddress] = []
    ) throws -> AppTLS {
        let serverKey = P256.Signing.PrivateKey()
        func certificate(hasAddresses: Bool) throws -> NIOSSLCertificate {
            let pem = try serverPEM(
                at: now,
                hasAddresses: hasAddresses,
                addresses: addresses,
                for: serverKey.publicKey
            )
            return try NIOSSLCertificate(bytes: Array(pem.utf8), format: .pem)
        }
        let privateKey = try NIOSSLPrivateKey(
            bytes: Array(serverKey.pemRepresentation.utf8),
            format: .pem
        )
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: [.certificate(try certificate(hasAddresses: true))],
            privateKey: .privateKey(privateKey)
        )
        // X509_verify_cert of BoringSSL refuses addresses below an authority that constrains them,
        // whichever they are, so a client that asks for a name gets a certificate of names only.
        let named = try certificate(hasAddresses: false)
        configuration.sslContextCallback = { client, promise in
            var change = NIOSSLContextConfigurationOverride.noChanges
            if client.serverHostname != nil { change.certificateChain = [.certificate(named)] }
            promise.succeed(change)
        }
        return try Self.context(configuration)
    }

    /// Makes the key and the certificate of a server with one name.
    ///
    /// - Parameters:
    ///   - now: The time.
    ///   - name: The name by which clients know it.
    /// - Returns: The TLS of a server with this certificate.
    /// - Throws: If a library refuses it.
    func serverContext(at now: Date, named name: String) throws -> AppTLS {
        let key = P256.Signing.PrivateKey()
        let pem = try serverPEM(at: now, names: [.dnsName(name)], for: key.publicKey)
        return try Self.context(
            .makeServerConfiguration(
                certificateChain: [
                    .certificate(try NIOSSLCertificate(bytes: Array(pem.utf8), format: .pem))
                ],
                privateKey: .privateKey(
                    try NIOSSLPrivateKey(bytes: Array(key.pemRepresentation.utf8), format: .pem)
                )
            )
        )
    }

    private static func context(_ server: TLSConfiguration) throws -> AppTLS {
        var configuration = server
        configuration.minimumTLSVersion = .tlsv12
        return try AppTLS(configuration)
    }

    /// Makes the certificate in PEM format of a server on this machine.
    func serverPEM(
        at now: Date,
        hasAddresses: Bool = true,
        addresses: [NetworkAddress] = [],
        for serverKey: P256.Signing.PublicKey = P256.Signing.PrivateKey().publicKey
    ) throws -> String {
        let all = ([Self.loopback4, Self.loopback6] + addresses.map(\.bytes)).map {
            GeneralName.ipAddress(ASN1OctetString(contentBytes: $0[...]))
        }
        let names: [GeneralName] = [.dnsName("localhost"), .dnsName("authtop.localhost")]
        return try serverPEM(at: now, names: names + (hasAddresses ? all : []), for: serverKey)
    }

    private func serverPEM(
        at now: Date,
        names: [GeneralName],
        for serverKey: P256.Signing.PublicKey
    ) throws -> String {
        let publicKey = Certificate.PublicKey(serverKey)
        let certificate = try Certificate(
            version: .v3,
            serialNumber: Certificate.SerialNumber(),
            publicKey: publicKey,
            notValidBefore: max(
                now.addingTimeInterval(-Self.day),
                self.certificate.notValidBefore
            ),
            notValidAfter: min(now.addingTimeInterval(30 * Self.day), endsAt),
            issuer: self.certificate.subject,
            subject: try DistinguishedName { CommonName("authtop proxy") },
            extensions: try Certificate.Extensions {
                Critical(BasicConstraints.notCertificateAuthority)
                Critical(KeyUsage(digitalSignature: true))
                try ExtendedKeyUsage([.serverAuth])
                SubjectAlternativeNames(names)
                AuthorityKeyIdentifier(
                    keyIdentifier: SubjectKeyIdentifier(hash: self.certificate.publicKey)
                        .keyIdentifier
                )
                SubjectKeyIdentifier(hash: publicKey)
            },
            issuerPrivateKey: Certificate.PrivateKey(key)
        )
        return try certificate.serializeAsPEM().pemString + "\n"
    }
}

/// The reason why there is no authority.
package enum LocalAuthorityError: Error, Sendable, Equatable {
    /// The texts are not a key and its certificate.
    case unreadable
    /// Its certificate has ended, or is about to.
    case expired
    /// A library has refused to make a certificate.
    case unusable
}
