import Basics
import FoundationEssentials

/// A profile's requirements for TLS besides a certificate that is trusted.
package struct TransportRequirements: Sendable, Hashable {
    static let none = TransportRequirements()

    /// The public keys of which the server's certificate must have one; empty if any will do.
    package var pins: [KeyPin] = []
    /// The files of the client's certificate, or `nil` if it has none.
    package var clientCertificate: ClientCertificateFiles?
}

/// The SHA-256 hash of a public key in its DER form (SubjectPublicKeyInfo), as in RFC 7469 section
/// 2.4.
package struct KeyPin: Sendable, Hashable, CustomStringConvertible {
    private static let prefix = "sha256/"
    private static let byteCount = 32

    private let digest: [UInt8]

    /// - Parameter digest: The 32 bytes of the hash.
    package init(digest: some Sequence<UInt8>) {
        self.digest = Array(digest)
    }

    /// Parses `sha256/` and the Base64 of 32 bytes; `nil` if the text is anything else.
    init?(_ text: String) {
        guard text.begins(with: Self.prefix),
            let digest = Data(base64Encoded: String(text.part(after: Self.prefix) ?? "")),
            digest.count == Self.byteCount
        else { return nil }
        self.init(digest: digest)
    }

    package var description: String { Self.prefix + Data(digest).base64EncodedString() }
}

/// The files with the certificate that a server demands of its clients, in PEM format.
package struct ClientCertificateFiles: Sendable, Hashable {
    /// The certificate, followed by those of its issuers if the server needs them.
    package var certificate: String
    package var key: String
}
