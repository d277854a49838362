import Testing

@testable import HTTP

@Suite("Frames as bytes")
struct FrameWriterTests {
    @Test("the examples of RFC 6455 section 5.7")
    func examples() {
        let hello = "Hello".bytes
        #expect(FrameWriter.bytes(.text, hello) == [0x81, 0x05] + hello)
        #expect(
            FrameWriter.bytes(.text, hello, mask: MaskingKey(0x37FA_213D))
                == [0x81, 0x85, 0x37, 0xFA, 0x21, 0x3D, 0x7F, 0x9F, 0x4D, 0x51, 0x58]
        )
        #expect(FrameWriter.bytes(.text, "Hel".bytes, isFinal: false) == [0x01, 3] + "Hel".bytes)
        #expect(FrameWriter.bytes(.ping, hello) == [0x89, 0x05] + hello)
    }

    @Test(
        "a length is written in its shortest form",
        arguments: [
            (0, [0]), (125, [125]), (126, [126, 0, 126]), (0xFFFF, [126, 0xFF, 0xFF]),
            (0x10000, [127, 0, 0, 0, 0, 0, 1, 0, 0]),
        ] as [(Int, [UInt8])]
    )
    func lengths(length: Int, expected: [UInt8]) {
        let payload = [UInt8](repeating: 7, count: length)
        #expect(FrameWriter.bytes(.binary, payload) == [0x82] + expected + payload)
    }
}
