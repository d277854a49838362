/// SplitMix64 (Steele, Lea and Flood, 2014), a generator that is determined by its seed.
///
/// For jitter, WebSocket masks and the simulation; never for keys or tokens.
package struct SeededGenerator: RandomNumberGenerator, Sendable, Equatable {
    private var state: UInt64

    package init(seed: UInt64) {
        state = seed
    }

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }

    /// Returns a generator with a sequence of its own, so that the draws of one part of a run do
    /// not affect those of another.
    package mutating func fork() -> SeededGenerator {
        SeededGenerator(seed: next())
    }

    /// Returns a number that is uniformly distributed in `range`.
    package mutating func uniform(_ range: ClosedRange<Double>) -> Double {
        let unit = Double(next() >> 11) * 0x1p-53
        return range.lowerBound + unit * (range.upperBound - range.lowerBound)
    }
}
