import SwiftASN1

/// Certificates that are trusted, as a PKCS #12 store without a password (RFC 7292), which is what Java
/// reads.
package enum TrustStore {
    private static let data: ASN1ObjectIdentifier = [1, 2, 840, 113_549, 1, 7, 1]
    private static let certificateBag: ASN1ObjectIdentifier = [
        1, 2, 840, 113_549, 1, 12, 10, 1, 3,
    ]
    private static let x509: ASN1ObjectIdentifier = [1, 2, 840, 113_549, 1, 9, 22, 1]
    private static let friendlyName: ASN1ObjectIdentifier = [1, 2, 840, 113_549, 1, 9, 20]
    /// Oracle's attribute of a certificate that is trusted, without which Java takes it for one of a
    /// chain, and the value for every use.
    private static let trustedUsage: ASN1ObjectIdentifier = [
        2, 16, 840, 1, 113_894, 746_875, 1, 1,
    ]
    private static let anyUsage: ASN1ObjectIdentifier = [2, 5, 29, 37, 0]
    private static let context = ASN1Identifier(tagWithNumber: 0, tagClass: .contextSpecific)
    private static let text = ASN1Identifier(tagWithNumber: 30, tagClass: .universal)

    /// - Parameter texts: Certificates in PEM format; a text that cannot be read is left out.
    /// - Returns: The bytes of the store.
    /// - Throws: If a library refuses them.
    package static func bytes(of texts: [String]) throws -> [UInt8] {
        let certificates = texts.flatMap { (try? PEMDocument.parseMultiple(pemString: $0)) ?? [] }
            .filter { $0.discriminator == "CERTIFICATE" }
            .map(\.derBytes)
        let bags = try sequence { bags in
            for (index, certificate) in certificates.enumerated() {
                try bag(certificate, named: "authtop \(index)", into: &bags)
            }
        }
        return try sequence { store in
            try store.serialize(3)
            try content(sequence { try content(bags, into: &$0) }, into: &store)
        }
    }

    /// Bytes that are neither signed nor encrypted.
    private static func content(_ bytes: [UInt8], into coder: inout DER.Serializer) throws {
        try coder.appendConstructedNode(identifier: .sequence) { coder in
            try coder.serialize(data)
            try coder.serialize(
                ASN1OctetString(contentBytes: bytes[...]),
                explicitlyTaggedWithIdentifier: context
            )
        }
    }

    private static func bag(
        _ certificate: [UInt8],
        named name: String,
        into coder: inout DER.Serializer
    ) throws {
        try coder.appendConstructedNode(identifier: .sequence) { bag in
            try bag.serialize(certificateBag)
            try bag.appendConstructedNode(identifier: context) { value in
                try value.appendConstructedNode(identifier: .sequence) { value in
                    try value.serialize(x509)
                    try value.serialize(
                        ASN1OctetString(contentBytes: certificate[...]),
                        explicitlyTaggedWithIdentifier: context
                    )
                }
            }
            try bag.appendConstructedNode(identifier: .set) { attributes in
                try attribute(trustedUsage, into: &attributes) { try $0.serialize(anyUsage) }
                try attribute(friendlyName, into: &attributes) { values in
                    values.appendPrimitiveNode(identifier: text) { bytes in
                        for unit in name.utf16 { bytes += [UInt8(unit >> 8), UInt8(unit & 0xFF)] }
                    }
                }
            }
        }
    }

    private static func attribute(
        _ name: ASN1ObjectIdentifier,
        into coder: inout DER.Serializer,
        _ values: (inout DER.Serializer) throws -> Void
    ) throws {
        try coder.appendConstructedNode(identifier: .sequence) { attribute in
            try attribute.serialize(name)
            try attribute.appendConstructedNode(identifier: .set, values)
        }
    }

    private static func sequence(
        _ elements: (inout DER.Serializer) throws -> Void
    ) throws -> [UInt8] {
        var coder = DER.Serializer()
        try coder.appendConstructedNode(identifier: .sequence, elements)
        return coder.serializedBytes
    }
}
