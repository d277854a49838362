/// The size of a QR code, and how much it contains.
struct QRVersion {
    let number: Int
    /// The centres of the alignment patterns, in both directions.
    let alignment: [Int]
    /// With the error correction level L, which restores 7 % of the code.
    let low: QRBlocks
    /// With the level M, which restores 15 %.
    let medium: QRBlocks

    /// The versions 1 to 10, of the tables 9 and E.1 of the standard.
    static let all: [QRVersion] = [
        version(1, [], (7, [19]), (10, [16])),
        version(2, [6, 18], (10, [34]), (16, [28])),
        version(3, [6, 22], (15, [55]), (26, [44])),
        version(4, [6, 26], (20, [80]), (18, [32, 32])),
        version(5, [6, 30], (26, [108]), (24, [43, 43])),
        version(6, [6, 34], (18, [68, 68]), (16, [27, 27, 27, 27])),
        version(7, [6, 22, 38], (20, [78, 78]), (18, [31, 31, 31, 31])),
        version(8, [6, 24, 42], (24, [97, 97]), (22, [38, 38, 39, 39])),
        version(9, [6, 26, 46], (30, [116, 116]), (22, [36, 36, 36, 37, 37])),
        version(10, [6, 28, 50], (18, [68, 68, 69, 69]), (26, [43, 43, 43, 43, 44])),
    ]

    private static func version(
        _ number: Int,
        _ alignment: [Int],
        _ low: (Int, [Int]),
        _ medium: (Int, [Int])
    ) -> QRVersion {
        let countBits = number < 10 ? 8 : 16
        return QRVersion(
            number: number,
            alignment: alignment,
            low: QRBlocks(correction: low.0, lengths: low.1, countBits: countBits),
            medium: QRBlocks(correction: medium.0, lengths: medium.1, countBits: countBits)
        )
    }
}

/// The blocks that the bytes of a QR code are divided into.
struct QRBlocks {
    /// The number of error correction codewords of each block.
    let correction: Int
    /// The numbers of data codewords.
    let lengths: [Int]
    /// The width of the length of the text.
    let countBits: Int

    /// The number of bytes that a text may have.
    var capacity: Int { (lengths.reduce(0, +) * 8 - 4 - countBits) / 8 }

    /// Returns the bytes with their header, padding and error correction, interleaved.
    func codewords(for bytes: [UInt8]) -> [UInt8] {
        let data = padded(bytes)
        var blocks: [ArraySlice<UInt8>] = []
        var start = 0
        for length in lengths {
            blocks.append(data[start..<start + length])
            start += length
        }
        let corrections = blocks.map { ReedSolomon.remainder(of: $0, degree: correction) }
        var codewords: [UInt8] = []
        for index in 0..<(lengths.max() ?? 0) {
            for block in blocks where index < block.count {
                codewords.append(block[block.startIndex + index])
            }
        }
        for index in 0..<correction { codewords += corrections.map { $0[index] } }
        return codewords
    }

    private func padded(_ bytes: [UInt8]) -> [UInt8] {
        var bits: [Bool] = []
        func append(_ value: Int, _ count: Int) {
            for index in (0..<count).reversed() { bits.append(value >> index & 1 == 1) }
        }
        // The byte mode.
        append(0b0100, 4)
        append(bytes.count, countBits)
        for byte in bytes { append(Int(byte), 8) }
        let size = lengths.reduce(0, +)
        append(0, min(4, size * 8 - bits.count))
        append(0, (8 - bits.count % 8) % 8)
        var data = stride(from: 0, to: bits.count, by: 8).map { start in
            bits[start..<start + 8].reduce(UInt8(0)) { $0 << 1 | ($1 ? 1 : 0) }
        }
        var pad: UInt8 = 0xEC
        while data.count < size {
            data.append(pad)
            pad ^= 0xEC ^ 0x11
        }
        return data
    }
}

/// Error correction over the field of 256 elements (polynomial 0x11D).
enum ReedSolomon {
    /// Returns the codewords that are appended to a block.
    static func remainder(of block: some Sequence<UInt8>, degree: Int) -> [UInt8] {
        let divisor = divisor(of: degree)
        var rest = [UInt8](repeating: 0, count: degree)
        for byte in block {
            let factor = byte ^ rest.removeFirst()
            rest.append(0)
            for index in rest.indices { rest[index] ^= product(divisor[index], factor) }
        }
        return rest
    }

    /// The coefficients of the product of (x - 2^i) for all i below the degree, without the first.
    private static func divisor(of degree: Int) -> [UInt8] {
        var coefficients = [UInt8](repeating: 0, count: degree - 1) + [1]
        var root: UInt8 = 1
        for _ in 0..<degree {
            for index in coefficients.indices {
                coefficients[index] = product(coefficients[index], root)
                if index + 1 < degree { coefficients[index] ^= coefficients[index + 1] }
            }
            root = product(root, 2)
        }
        return coefficients
    }

    private static func product(_ left: UInt8, _ right: UInt8) -> UInt8 {
        var result: UInt8 = 0
        for bit in (0..<8).reversed() {
            let carries = result & 0x80 != 0
            result <<= 1
            if carries { result ^= 0x1D }
            if right >> UInt8(bit) & 1 == 1 { result ^= left }
        }
        return result
    }
}
