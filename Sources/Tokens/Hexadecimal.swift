/// Hexadecimal digits (RFC 4648 section 8), in small letters.
extension Sequence<UInt8> {
    /// Two digits for each byte.
    package var hexadecimal: String {
        var text: [UInt8] = []
        text.reserveCapacity(underestimatedCount * 2)
        for byte in self {
            text.append(digits[Int(byte >> 4)])
            text.append(digits[Int(byte & 15)])
        }
        return String(decoding: text, as: UTF8.self)
    }
}

extension FixedWidthInteger where Self: UnsignedInteger {
    /// All digits that a number of this type can have, the highest first.
    package var hexadecimal: String {
        let digits = String(self, radix: 16)
        return String(repeating: "0", count: Self.bitWidth / 4 - digits.count) + digits
    }
}

extension UInt8 {
    /// The value of a digit in ASCII, of either case, or `nil` if it is none.
    package var hexDigitValue: UInt8? {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): self - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): self - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): self - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}

private let digits = Array("0123456789abcdef".utf8)
