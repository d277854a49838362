/// Lower-case hexadecimal digits.
enum HexText {
    private static let digits = Array("0123456789abcdef".utf8)

    /// 32 digits, with a hyphen between groups where their lengths are given.
    static func encode(_ high: UInt64, _ low: UInt64, groups: [Int] = []) -> String {
        var text: [UInt8] = []
        text.reserveCapacity(36)
        var ends = groups.makeIterator()
        var untilHyphen = ends.next() ?? .max
        for word in [high, low] {
            for shift in stride(from: UInt64(60), through: 0, by: -4) {
                if untilHyphen == 0 {
                    text.append(UInt8(ascii: "-"))
                    untilHyphen = ends.next() ?? .max
                }
                text.append(digits[Int(word >> shift & 15)])
                untilHyphen -= 1
            }
        }
        return String(decoding: text, as: UTF8.self)
    }
}
