import FoundationEssentials

/// One form in which a secret may be written, by what recognizes it: the form itself is not kept.
struct SecretForm: Sendable {
    enum Kind: Sendable {
        case plain
        /// Base64, whose first or last character may also encode bits of the adjacent text.
        case base64(before: Bool, behind: Bool)
        /// A mark that replaced a secret; it is not searched.
        case mark([UInt8])
    }

    /// The first four bytes.
    let head: [UInt8]
    /// The size in bytes.
    let count: Int
    let digest: SecretDigest
    let kind: Kind

    /// The bytes are overwritten once nothing has them, as is all memory that is given back.
    private init(_ bytes: ArraySlice<UInt8>, _ kind: Kind) {
        head = Array(bytes.prefix(4))
        count = bytes.count
        digest = bytes.withUnsafeBytes { SecretDigest($0) }
        self.kind = kind
    }

    static func mark(_ text: String) -> SecretForm {
        let bytes = Array(text.utf8)
        return SecretForm(bytes[...], .mark(bytes))
    }

    /// The size, in bytes, from which a secret is found backwards: what is shorter may be a word, which
    /// the mark would reveal.
    private static let shortestBackward = 16

    /// Returns the forms that `EscapedText` does not decode.
    static func all(of text: String) -> [SecretForm] {
        let bytes = Array(text.utf8)
        var forms = [SecretForm(bytes[...], .plain)] + base64(of: bytes)
        // The client's credentials are form-encoded before they are put into the header.
        let encoded = formEncoded(bytes)
        if encoded != bytes { forms += base64(of: encoded) }
        let small = bytes.hexadecimal
        let capital = small.asciiUppercased
        forms.append(SecretForm(Array(small.utf8)[...], .plain))
        if capital != small { forms.append(SecretForm(Array(capital.utf8)[...], .plain)) }
        if bytes.count >= shortestBackward, bytes.allSatisfy({ $0 < 0x80 }) {
            forms.append(SecretForm(Array(bytes.reversed())[...], .plain))
        }
        return forms
    }

    /// Returns the base64 characters that do not depend on the text around the secret: for each
    /// offset within a group of three bytes, in both alphabets (RFC 4648 sections 4 and 5).
    private static func base64(of secret: [UInt8]) -> [SecretForm] {
        (0..<3).flatMap { skipped -> [SecretForm] in
            let bits = (skipped + secret.count) * 8
            let padded = Data([UInt8](repeating: 0, count: skipped) + secret)
            // A slice of an array is read at once, one of `Data` byte by byte.
            let text = Array(padded.base64EncodedData())
            let core = text.prefix(bits / 6).dropFirst(skipped == 0 ? 0 : skipped + 1)
            guard core.count >= KnownSecrets.shortest else { return [] }
            let kind = Kind.base64(before: skipped > 0, behind: bits % 6 > 0)
            let other = core.map { byte in
                switch byte {
                case UInt8(ascii: "+"): UInt8(ascii: "-")
                case UInt8(ascii: "/"): UInt8(ascii: "_")
                default: byte
                }
            }
            let standard = SecretForm(core, kind)
            return other.elementsEqual(core)
                ? [standard] : [standard, SecretForm(other[...], kind)]
        }
    }

    private static func formEncoded(_ bytes: [UInt8]) -> [UInt8] {
        var encoded: [UInt8] = []
        encoded.reserveCapacity(bytes.count)
        for byte in bytes {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
                UInt8(ascii: "_"), UInt8(ascii: "~"):
                encoded.append(byte)
            default: encoded += "%\(byte.hexadecimal.asciiUppercased)".utf8
            }
        }
        return encoded
    }
}
