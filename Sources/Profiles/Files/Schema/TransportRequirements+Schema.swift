import Basics

/// Parsing of `pins`, `client_certificate` and `client_key` at the top of a profile.
extension TransportRequirements {
    static let keys = ["pins", "client_certificate", "client_key"]

    init(_ table: SchemaTable) throws(DialectError) {
        self.init(
            pins: try Self.pins(in: table),
            clientCertificate: try Self.certificate(in: table)
        )
    }

    private static func pins(in table: SchemaTable) throws(DialectError) -> [KeyPin] {
        var pins: [KeyPin] = []
        for item in try table.strings("pins") ?? [] {
            guard case .string(let text) = item.value else { continue }
            guard let pin = KeyPin(text) else {
                let expected = "expected sha256/ and the Base64 of 32 bytes"
                throw table.error(at: item, "\(text.quotedForError) is not a pin", expected)
            }
            pins.append(pin)
        }
        return pins
    }

    private static func certificate(
        in table: SchemaTable
    ) throws(DialectError) -> ClientCertificateFiles? {
        guard let certificate = try table.path("client_certificate") else {
            guard !table.has("client_key") else {
                let expected = "expected client_certificate as well"
                throw table.error(at: "client_key", "a key without its certificate", expected)
            }
            return nil
        }
        // Both may be in one file.
        let key = try table.path("client_key") ?? certificate
        return ClientCertificateFiles(certificate: certificate, key: key)
    }
}
