import Basics
import Profiles
import Testing

@testable import Observer

@Suite("Messages of gRPC")
struct GRPCMessageTests {
    private static let type = [WireHeader("Content-Type", "application/grpc+proto")]

    private static func framed(_ message: [UInt8]) -> [UInt8] {
        [0, 0, 0, UInt8(message.count >> 8), UInt8(message.count & 0xFF)] + message
    }

    private static func text(_ field: UInt8, _ text: String) -> [UInt8] {
        [field << 3 | 2, UInt8(text.utf8.count)] + Array(text.utf8)
    }

    private static func read(_ body: [UInt8]) -> String {
        String(decoding: GRPCMessage.readable(body, type), as: UTF8.self)
    }

    @Test("a message in protocol buffers is read as an object whose names are numbers")
    func protocolBuffers() {
        let inner = Self.text(1, "abc") + [0x10, 0x96, 0x01]
        let message =
            Self.text(1, "the token") + Self.text(2, "x") + Self.text(2, "y")
            + [0x1A, UInt8(inner.count)] + inner + [0x25, 1, 2, 3, 4]
        #expect(
            JSONValue(parsing: GRPCMessage.readable(Self.framed(message), Self.type))
                == ["1": "the token", "2": ["x", "y"], "3": ["1": "abc", "2": 150]]
        )
    }

    @Test("JSON stays, and a body of another type is left alone")
    func others() {
        #expect(Self.read(Self.framed(Array("{\"a\":1}".utf8))) == "{\"a\":1}")
        let plain = Array("\0\0\0\0\u{1}x".utf8)
        #expect(GRPCMessage.readable(plain, []) == plain)
    }

    @Test("a message that is cut off, empty, or no message reads as nothing")
    func unreadable() {
        let messages: [[UInt8]] = [
            [], [0x0A, 9, 1], [0x0B], [0x0A], [0xFF] + Array(repeating: 0xFF, count: 20),
        ]
        for message in messages {
            #expect(Self.read(Self.framed(message)) == "")
        }
    }

    @Test("random bytes are read without harm")
    func random() {
        var generator = SeededGenerator(seed: 7)
        for _ in 0..<20_000 {
            let bytes = (0..<Int.random(in: 0..<60, using: &generator)).map { _ in
                UInt8.random(in: 0...255, using: &generator)
            }
            _ = GRPCMessage.readable(bytes, Self.type)
            _ = GRPCMessage.readable(Self.framed(bytes), Self.type)
        }
    }
}
