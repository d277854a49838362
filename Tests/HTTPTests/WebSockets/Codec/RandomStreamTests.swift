import HTTP
import Testing

/// SplitMix64: the same seed, the same stream.
private struct SeededGenerator: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return mixed ^ mixed >> 31
    }
}

@Suite("Codec: random streams")
struct RandomStreamTests {
    private static let limits = WebSocketLimits(maximumMessage: 200, maximumFrame: 150)

    /// Mostly frames that are in order, so that the rest is reached in every state.
    private static func stream(_ random: inout SeededGenerator, masked: Bool) -> [UInt8] {
        (0..<Int.random(in: 1...8, using: &random)).flatMap { _ -> [UInt8] in
            let opcodes: [UInt8] = [0, 0, 0, 1, 1, 2, 9, 10, 8]
            let payload = (0..<Int.random(in: 0...160, using: &random)).map { _ in
                UInt8.random(in: 0x20...0x7F, using: &random)
            }
            var bytes = frame(
                opcodes.randomElement(using: &random) ?? 1,
                payload,
                final: Bool.random(using: &random),
                mask: masked ? UInt32.random(in: 0...UInt32.max, using: &random) : nil
            )
            if Int.random(in: 0..<6, using: &random) == 0 {
                let index = bytes.indices.randomElement(using: &random) ?? 0
                bytes[index] ^= UInt8.random(in: 0...255, using: &random)
            }
            return bytes
        }
    }

    @Test("however they are cut, they read the same", arguments: [true, false])
    func cuts(masked: Bool) {
        var random = SeededGenerator(state: 8123)
        for _ in 0..<500 {
            let bytes = Self.stream(&random, masked: masked)
            let whole = Reading(bytes, expectsMask: masked, limits: Self.limits)
            let size = Int.random(in: 1...20, using: &random)
            let cut = Reading(bytes, pieces: size, expectsMask: masked, limits: Self.limits)
            #expect(whole.incoming == cut.incoming, "\(bytes)")
            #expect(whole.failure == cut.failure, "\(bytes)")
        }
    }
}
