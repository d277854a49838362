import Testing

@testable import HTTP

@Suite("Codec: frames into messages")
struct WebSocketCodecTests {
    /// Messages whole and in fragments, with control frames in between, of every length form.
    private static let conversation: [([UInt8], [WebSocketIncoming])] = [
        (frame(1, "Hello".bytes), [.text("Hello")]),
        (frame(1), [.text("")]),
        (frame(2), [.binary([])]),
        (
            frame(1, "κό".bytes.dropLast(1) + [], final: false) + frame(9, [1, 2])
                + frame(0, [], final: false) + frame(10) + frame(0, [0x8C] + "σμε".bytes),
            [.ping([1, 2]), .pong([]), .text("κόσμε")]
        ),
        (
            frame(2, [0xFF], final: false) + frame(9) + frame(9, "b".bytes) + frame(0, [0xFE]),
            [.ping([]), .ping("b".bytes), .binary([0xFF, 0xFE])]
        ),
        (frame(2, [UInt8](repeating: 9, count: 125)), [.binary([UInt8](repeating: 9, count: 125))]),
        (frame(2, [UInt8](repeating: 8, count: 126)), [.binary([UInt8](repeating: 8, count: 126))]),
        (frame(1, "ab".bytes, final: false) + frame(0), [.text("ab")]),
        (
            frame(2, [UInt8](repeating: 1, count: 0x10000)),
            [.binary([UInt8](repeating: 1, count: 0x10000))]
        ),
        (frame(8, [0x03, 0xE8] + "bye".bytes), [.close(CloseFrame(code: 1000, reason: "bye"))]),
    ]

    @Test("however the bytes are cut, they say the same", arguments: [.max, 1, 2, 3, 7, 64, 4096])
    func chopped(pieces: Int) {
        let bytes = Self.conversation.flatMap { $0.0 }
        let reading = Reading(bytes, pieces: pieces)
        #expect(reading.incoming == Self.conversation.flatMap { $0.1 })
        #expect(reading.failure == nil)
    }

    @Test("masked frames of a client say the same", arguments: [.max, 1, 2, 3, 5])
    func masked(pieces: Int) {
        let text = "masks turn ⟳ with the position"
        let bytes =
            frame(1, Array(text.bytes.prefix(13)), final: false, mask: 0x0102_03FF)
            + frame(9, "ping".bytes, mask: 0xA0B0_C0D0)
            + frame(0, Array(text.bytes.dropFirst(13)), mask: 0xFFFF_0000)
        let reading = Reading(bytes, pieces: pieces, expectsMask: true)
        #expect(reading.incoming == [.ping("ping".bytes), .text(text)])
        #expect(reading.failure == nil)
    }

    @Test("a message of exactly the limit passes, whole or in fragments")
    func atTheLimit() {
        let limits = WebSocketLimits(maximumMessage: 1000, maximumFrame: 1000)
        let whole = frame(2, [UInt8](repeating: 0, count: 1000))
        let halves =
            frame(2, [UInt8](repeating: 0, count: 500), final: false)
            + frame(0, [UInt8](repeating: 0, count: 500))
        let reading = Reading(whole + halves, limits: limits)
        #expect(reading.incoming.count == 2)
        #expect(reading.failure == nil)
    }
}
