import Testing

@testable import HTTP

@Suite("Masking")
struct MaskingKeyTests {
    private static let key = MaskingKey(0x37FA_213D)

    @Test("the example of RFC 6455 section 5.7")
    func example() {
        var bytes = "Hello".bytes
        Self.key.apply(to: &bytes, from: 0)
        #expect(bytes == [0x7F, 0x9F, 0x4D, 0x51, 0x58])
    }

    @Test("pieces of any size mask as the whole does", arguments: 1...19)
    func pieces(size: Int) {
        let plain = (0..<100).map { UInt8($0) }
        let expected = plain.enumerated().map { index, byte in
            byte ^ UInt8(truncatingIfNeeded: Self.key.value >> UInt32(24 - index % 4 * 8))
        }
        var masked: [UInt8] = []
        for start in stride(from: 0, to: plain.count, by: size) {
            masked += plain[start...].prefix(size)
            Self.key.apply(to: &masked, from: start, position: start)
        }
        #expect(masked == expected)
    }

    @Test("what comes before is left alone")
    func prefix() {
        var bytes: [UInt8] = [1, 2, 3, 0, 0, 0, 0, 0]
        Self.key.apply(to: &bytes, from: 3)
        #expect(bytes == [1, 2, 3, 0x37, 0xFA, 0x21, 0x3D, 0x37])
    }
}
