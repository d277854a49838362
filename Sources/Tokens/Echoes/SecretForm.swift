import FoundationEssentials

/// One way in which a secret is written, to be found byte by byte.
struct SecretForm: Sendable {
    enum Kind: Sendable {
        case plain
        /// Base64, which may share a character with what stands before and behind.
        case base64(before: Bool, behind: Bool)
        /// What a secret was replaced by: nothing is looked for in it.
        case mark
    }

    let bytes: WipedBytes
    let kind: Kind

    private init(_ bytes: some Sequence<UInt8>, _ kind: Kind) {
        self.bytes = WipedBytes(Array(bytes))
        self.kind = kind
    }

    static func mark(_ text: String) -> SecretForm { SecretForm(text.utf8, .mark) }

    /// Those that are not read by `EscapedText`.
    static func all(of text: String) -> [SecretForm] {
        let bytes = Array(text.utf8)
        var forms = [SecretForm(bytes, .plain)] + base64(of: bytes)
        // As the client's credentials are encoded before they go into the header.
        let encoded = formEncoded(bytes)
        if encoded != bytes { forms += base64(of: encoded) }
        let small = bytes.hexadecimal
        let capital = small.uppercased()
        forms.append(SecretForm(small.utf8, .plain))
        if capital != small { forms.append(SecretForm(capital.utf8, .plain)) }
        return forms
    }

    /// What of it is the same whatever stands around the secret: for each place in a group of three
    /// bytes where it may begin, in both alphabets (RFC 4648 sections 4 and 5).
    private static func base64(of secret: [UInt8]) -> [SecretForm] {
        (0..<3).flatMap { skipped -> [SecretForm] in
            let bits = (skipped + secret.count) * 8
            let text = Data([UInt8](repeating: 0, count: skipped) + secret).base64EncodedData()
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
            return other.elementsEqual(core) ? [standard] : [standard, SecretForm(other, kind)]
        }
    }

    private static func formEncoded(_ bytes: [UInt8]) -> [UInt8] {
        bytes.flatMap { byte -> [UInt8] in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
                UInt8(ascii: "_"), UInt8(ascii: "~"):
                [byte]
            default: Array("%\(byte.hexadecimal.uppercased())".utf8)
            }
        }
    }
}
