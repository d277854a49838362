/// Changes a few bytes of a text, the same ones for the same seed.
struct Mutator {
    private var state: UInt64

    init(seed: Int) {
        state = UInt64(seed) &* 0x9E37_79B9_7F4A_7C15 &+ 1
    }

    /// Up to five bytes are replaced, put in, or taken out with some that follow.
    mutating func mutated(_ bytes: [UInt8]) -> [UInt8] {
        var bytes = bytes
        for _ in 0...next(4) {
            let index = next(bytes.count)
            guard !bytes.isEmpty else { return bytes }
            switch next(3) {
            case 0: bytes[index] = Self.pieces[next(Self.pieces.count)]
            case 1: bytes.insert(Self.pieces[next(Self.pieces.count)], at: index)
            default: bytes.removeSubrange(index..<min(index + next(40), bytes.count))
            }
        }
        return bytes
    }

    private static let pieces = Array("\"'[]{}=.,:#\n\\\t\0a0-é".utf8)

    /// Xorshift (Marsaglia, 2003): a number below the bound, 0 where that is 0.
    private mutating func next(_ bound: Int) -> Int {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return bound > 0 ? Int(state % UInt64(bound)) : 0
    }
}
