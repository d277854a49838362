/// A QR code (ISO/IEC 18004) with a text in byte mode, of the versions 1 to 10.
struct QRCode: Sendable, Equatable {
    /// The number of modules on each side.
    private(set) var size: Int
    private(set) var modules: [[Bool]]
    /// Whether a module has a fixed meaning, and contains no data.
    private var isFixed: [[Bool]]

    /// Creates the smallest code for a text, with more error correction if there is room for it;
    /// `nil` if the text is too long.
    init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard let version = QRVersion.all.first(where: { $0.low.capacity >= bytes.count }) else {
            return nil
        }
        let isMedium = version.medium.capacity >= bytes.count
        let blocks = isMedium ? version.medium : version.low
        size = 17 + 4 * version.number
        modules = Array(repeating: Array(repeating: false, count: size), count: size)
        isFixed = modules
        drawPatterns(of: version)
        // The bits of the levels in the standard's order.
        let level = isMedium ? 0b00 : 0b01
        drawFormat(level: level, mask: 0)
        draw(blocks.codewords(for: bytes))
        let candidates = (0..<8).map { mask in
            var code = self
            code.apply(mask: mask)
            code.drawFormat(level: level, mask: mask)
            return code
        }
        guard let best = candidates.min(by: { $0.penalty < $1.penalty }) else { return nil }
        self = best
    }

    func isDark(column: Int, row: Int) -> Bool {
        guard modules.indices.contains(row), modules.indices.contains(column) else { return false }
        return modules[row][column]
    }

    /// The code as rows of half blocks with a margin, light on a dark terminal.
    var rows: [String] {
        let margin = 2
        return stride(from: -margin, to: size + margin, by: 2).map { row in
            String(
                (-margin..<size + margin).map { column -> Character in
                    switch (isDark(column: column, row: row), isDark(column: column, row: row + 1))
                    {
                    case (false, false): "█"
                    case (false, true): "▀"
                    case (true, false): "▄"
                    case (true, true): " "
                    }
                }
            )
        }
    }

    // MARK: - Drawing

    private mutating func fix(_ column: Int, _ row: Int, _ isDark: Bool) {
        modules[row][column] = isDark
        isFixed[row][column] = true
    }

    private mutating func drawPatterns(of version: QRVersion) {
        for index in 0..<size {
            fix(6, index, index % 2 == 0)
            fix(index, 6, index % 2 == 0)
        }
        for (column, row) in [(3, 3), (size - 4, 3), (3, size - 4)] {
            drawRings(column, row, reach: 4) { $0 != 2 && $0 != 4 }
        }
        let centres = version.alignment
        for column in centres {
            for row in centres {
                let isCorner =
                    (column == 6 && row == 6) || (column == 6 && row == centres.last)
                    || (column == centres.last && row == 6)
                if !isCorner { drawRings(column, row, reach: 2) { $0 != 1 } }
            }
        }
        drawVersion(version.number)
    }

    private mutating func drawRings(
        _ column: Int,
        _ row: Int,
        reach: Int,
        _ isDark: (Int) -> Bool
    ) {
        for down in -reach...reach {
            for right in -reach...reach {
                guard modules.indices.contains(row + down),
                    modules.indices.contains(column + right)
                else { continue }
                fix(column + right, row + down, isDark(max(abs(down), abs(right))))
            }
        }
    }

    /// Draws the version from 7 on, with its error correction.
    private mutating func drawVersion(_ version: Int) {
        guard version >= 7 else { return }
        let bits = Self.corrected(version, bits: 12, by: 0x1F25)
        for index in 0..<18 {
            let isDark = bits >> index & 1 == 1
            fix(size - 11 + index % 3, index / 3, isDark)
            fix(index / 3, size - 11 + index % 3, isDark)
        }
    }

    /// Draws the level and the mask, with their error correction, twice.
    private mutating func drawFormat(level: Int, mask: Int) {
        let bits = Self.corrected(level << 3 | mask, bits: 10, by: 0x537) ^ 0x5412
        func isDark(_ index: Int) -> Bool { bits >> index & 1 == 1 }
        for index in 0..<6 { fix(8, index, isDark(index)) }
        fix(8, 7, isDark(6))
        fix(8, 8, isDark(7))
        fix(7, 8, isDark(8))
        for index in 9..<15 { fix(14 - index, 8, isDark(index)) }
        for index in 0..<8 { fix(size - 1 - index, 8, isDark(index)) }
        for index in 8..<15 { fix(8, size - 15 + index, isDark(index)) }
        fix(8, size - 8, true)
    }

    /// Returns a value followed by its remainder, as a Bose–Chaudhuri–Hocquenghem code.
    private static func corrected(_ value: Int, bits: Int, by generator: Int) -> Int {
        var rest = value
        for _ in 0..<bits { rest = rest << 1 ^ (rest >> (bits - 1)) * generator }
        return value << bits | rest
    }

    /// Draws the bits in pairs of columns, from the right to the left, up and down in turn.
    private mutating func draw(_ codewords: [UInt8]) {
        var bit = 0
        for right in [Int](stride(from: size - 1, to: 6, by: -2)) + [5, 3, 1] {
            let goesUp = (right + 1) & 2 == 0
            for step in 0..<size {
                let row = goesUp ? size - 1 - step : step
                for column in [right, right - 1]
                where !isFixed[row][column] && bit < codewords.count * 8 {
                    modules[row][column] = codewords[bit / 8] >> (7 - bit % 8) & 1 == 1
                    bit += 1
                }
            }
        }
    }

    private mutating func apply(mask: Int) {
        for row in 0..<size {
            for column in 0..<size where !isFixed[row][column] && Self.inverts(mask, column, row) {
                modules[row][column].toggle()
            }
        }
    }

    private static func inverts(_ mask: Int, _ column: Int, _ row: Int) -> Bool {
        let product = column * row
        return switch mask {
        case 0: (column + row) % 2 == 0
        case 1: row % 2 == 0
        case 2: column % 3 == 0
        case 3: (column + row) % 3 == 0
        case 4: (column / 3 + row / 2) % 2 == 0
        case 5: product % 2 + product % 3 == 0
        case 6: (product % 2 + product % 3) % 2 == 0
        default: ((column + row) % 2 + product % 3) % 2 == 0
        }
    }
}

/// The choice of the mask: the pattern that a reader confuses least with the fixed ones.
extension QRCode {
    private static let finder = [
        [true, false, true, true, true, false, true, false, false, false, false],
        [false, false, false, false, true, false, true, true, true, false, true],
    ]

    /// The penalty of the standard (section 7.8.3).
    fileprivate var penalty: Int {
        let columns = (0..<size).map { column in modules.map { $0[column] } }
        let lines = (modules + columns).map(Self.penalty).reduce(0, +)
        var blocks = 0
        for row in 1..<size {
            for column in 1..<size {
                let corner = modules[row][column]
                if corner == modules[row - 1][column], corner == modules[row][column - 1],
                    corner == modules[row - 1][column - 1]
                {
                    blocks += 1
                }
            }
        }
        let dark = modules.joined().count { $0 }
        let balance = abs(dark * 20 - size * size * 10) / (size * size)
        return lines + 3 * blocks + 10 * balance
    }

    private static func penalty(of line: [Bool]) -> Int {
        var penalty = 0
        var run = 0
        for index in line.indices {
            run = index > 0 && line[index] == line[index - 1] ? run + 1 : 1
            if run == 5 { penalty += 3 } else if run > 5 { penalty += 1 }
            guard index + 11 <= line.count else { continue }
            if finder.contains(Array(line[index..<index + 11])) { penalty += 40 }
        }
        return penalty
    }
}
