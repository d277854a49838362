/// The members of a JSON text whose values are strings or numbers, by their places in it, so that
/// one can be changed and everything else stays as it was.
struct JSONMemberScanner {
    struct Member {
        let name: String
        /// From the quotation mark before the name to the end of the value.
        let range: Range<Int>
        let value: Range<Int>
        let isString: Bool
    }

    private let json: [UInt8]
    private var index = 0

    init(_ json: [UInt8]) {
        self.json = json
    }

    /// Returns the next member, or `nil` if there is none.
    mutating func next() -> Member? {
        while index < json.count {
            guard json[index] == UInt8(ascii: "\"") else {
                index += 1
                continue
            }
            let start = index
            guard let end = endOfString(from: start) else { return nil }
            index = end
            skipSpaces()
            guard index < json.count, json[index] == UInt8(ascii: ":") else { continue }
            index += 1
            skipSpaces()
            guard index < json.count, let value = scalar() else { continue }
            index = value.upperBound
            return Member(
                name: String(decoding: json[(start + 1)..<(end - 1)], as: UTF8.self),
                range: start..<value.upperBound,
                value: value,
                isString: json[value.lowerBound] == UInt8(ascii: "\"")
            )
        }
        return nil
    }

    private func scalar() -> Range<Int>? {
        if json[index] == UInt8(ascii: "\"") {
            return endOfString(from: index).map { index..<$0 }
        }
        let length = json[index...].prefix { byte in
            "+-.0123456789eE".utf8.contains(byte)
        }
        .count
        return length > 0 ? index..<(index + length) : nil
    }

    /// Returns the place after the closing quotation mark.
    private func endOfString(from start: Int) -> Int? {
        var place = start + 1
        while place < json.count {
            switch json[place] {
            case UInt8(ascii: "\\"): place += 2
            case UInt8(ascii: "\""): return place + 1
            default: place += 1
            }
        }
        return nil
    }

    private mutating func skipSpaces() {
        while index < json.count, [0x20, 0x09, 0x0A, 0x0D].contains(json[index]) { index += 1 }
    }
}
