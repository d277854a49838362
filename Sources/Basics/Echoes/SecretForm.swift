/// One form in which a secret may be written, by what recognizes it: the form itself is not kept.
struct SecretForm: Sendable, Equatable {
    enum Kind: Sendable, Equatable {
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
    private init(_ bytes: [UInt8], _ kind: Kind) {
        head = bytes.prefix(4).reduce(0) { $0 << 8 | UInt32($1) }
        count = bytes.count
        digest = bytes.withUnsafeBytes { SecretDigest($0) }
        self.kind = kind
    }

    static func mark(_ text: String) -> SecretForm {
        let bytes = Array(text.utf8)
        return SecretForm(bytes, .mark(bytes))
    }

    /// The size, in bytes, from which a secret is found backwards: what is shorter may be a word, which
    /// the mark would reveal.
    private static let shortestBackward = 16

    /// The most forms that one secret has, with the mark in its place.
    private static let most = 14

    /// Returns the forms that `EscapedText` does not decode.
    static func all(of text: String) -> [SecretForm] {
        let bytes = Array(text.utf8)
        var forms: [SecretForm] = []
        forms.reserveCapacity(most)
        forms.append(SecretForm(bytes, .plain))
        // One array for all of them, since every new token is remembered.
        var form: [UInt8] = []
        form.reserveCapacity(bytes.count * 2)
        addBase64(of: bytes, to: &forms, by: &form)
        // The client's credentials are form-encoded before they are put into the header.
        if !bytes.allSatisfy(isUnreserved) {
            addBase64(of: formEncoded(bytes), to: &forms, by: &form)
        }
        form.removeAll(keepingCapacity: true)
        for byte in bytes {
            form.append(hexadecimalDigits[Int(byte >> 4)])
            form.append(hexadecimalDigits[Int(byte & 15)])
        }
        forms.append(SecretForm(form, .plain))
        if form.contains(where: { $0 != $0.asciiUppercased }) {
            for place in form.indices { form[place] = form[place].asciiUppercased }
            forms.append(SecretForm(form, .plain))
        }
        if bytes.count >= shortestBackward, bytes.allSatisfy({ $0 < 0x80 }) {
            form.removeAll(keepingCapacity: true)
            for place in bytes.indices.reversed() { form.append(bytes[place]) }
            forms.append(SecretForm(form, .plain))
        }
        return forms
    }

    /// Adds the base64 characters that do not depend on the text around the secret: for each
    /// offset within a group of three bytes, in both alphabets (RFC 4648 sections 4 and 5).
    private static func addBase64(
        of secret: [UInt8],
        to forms: inout [SecretForm],
        by core: inout [UInt8]
    ) {
        for skipped in 0..<3 {
            let bits = (skipped + secret.count) * 8
            let first = skipped == 0 ? 0 : skipped + 1
            guard bits / 6 - first >= KnownSecrets.shortest else { continue }
            core.removeAll(keepingCapacity: true)
            for place in first..<(bits / 6) {
                core.append(base64Digits[digit(at: place * 6 - skipped * 8, of: secret)])
            }
            let kind = Kind.base64(before: skipped > 0, behind: bits % 6 > 0)
            forms.append(SecretForm(core, kind))
            guard core.contains(where: { $0 == base64Digits[62] || $0 == base64Digits[63] })
            else { continue }
            for place in core.indices {
                switch core[place] {
                case UInt8(ascii: "+"): core[place] = UInt8(ascii: "-")
                case UInt8(ascii: "/"): core[place] = UInt8(ascii: "_")
                default: break
                }
            }
            forms.append(SecretForm(core, kind))
        }
    }

    private static let hexadecimalDigits = Array("0123456789abcdef".utf8)

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
        encoded.reserveCapacity(bytes.count * 3)
        for byte in bytes {
            if isUnreserved(byte) {
                encoded.append(byte)
            } else {
                encoded += "%\(byte.hexadecimal.asciiUppercased)".utf8
            }
        }
        return encoded
    }

    /// Whether a byte is none that is percent-encoded (RFC 3986 section 2.3).
    private static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
            UInt8(ascii: "_"), UInt8(ascii: "~"):
            true
        default: false
        }
    }
}
