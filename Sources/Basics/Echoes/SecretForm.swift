/// One form in which a secret may be written, by what recognizes it: the form itself is not kept.
struct SecretForm: Sendable {
    enum Kind: Sendable {
        case plain
        /// Base64, whose first or last character may also encode bits of the adjacent text.
        case base64(before: Bool, behind: Bool)
        /// A mark that replaced a secret; it is not searched.
        case mark([UInt8])
    }

    /// The first four bytes, the first one in the highest bits.
    let head: UInt32
    /// The size in bytes.
    let count: Int
    let digest: SecretDigest
    let kind: Kind

    /// The bytes are overwritten once nothing has them, as is all memory that is given back.
    private init(_ bytes: ArraySlice<UInt8>, _ kind: Kind) {
        head = bytes.prefix(4).reduce(0) { $0 << 8 | UInt32($1) }
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
            let first = skipped == 0 ? 0 : skipped + 1
            guard bits / 6 - first >= KnownSecrets.shortest else { return [] }
            let core = (first..<(bits / 6)).map { place in
                base64Digits[digit(at: place * 6 - skipped * 8, of: secret)]
            }
            let kind = Kind.base64(before: skipped > 0, behind: bits % 6 > 0)
            let standard = SecretForm(core[...], kind)
            guard core.contains(where: { $0 == base64Digits[62] || $0 == base64Digits[63] })
            else { return [standard] }
            let other = core.map { byte in
                switch byte {
                case UInt8(ascii: "+"): UInt8(ascii: "-")
                case UInt8(ascii: "/"): UInt8(ascii: "_")
                default: byte
                }
            }
            return [standard, SecretForm(other[...], kind)]
        }
    }

    private static let base64Digits = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8
    )

    /// Returns the value of the six bits from a bit on; those past the end are zero.
    private static func digit(at bit: Int, of bytes: [UInt8]) -> Int {
        let next = bit / 8 + 1 < bytes.count ? bytes[bit / 8 + 1] : 0
        return (Int(bytes[bit / 8]) << 8 | Int(next)) >> (10 - bit % 8) & 63
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
