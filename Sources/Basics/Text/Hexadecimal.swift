/// Hexadecimal digits (RFC 4648 section 8), in lower case.
extension Sequence<UInt8> {
    /// The bytes as two digits each.
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
    /// The number with all digits of its type, the most significant first.
    package var hexadecimal: String {
        let digits = String(self, radix: 16)
        return String(repeating: "0", count: Self.bitWidth / 4 - digits.count) + digits
    }
}

extension UInt8 {
    /// The value of an ASCII digit in either case, or `nil` if it is not a hexadecimal digit.
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
