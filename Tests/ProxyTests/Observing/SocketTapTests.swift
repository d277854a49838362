import Testing

@testable import HTTP
@testable import Observer
@testable import Proxy

@Suite("Proxy: the copy of a socket's messages")
struct SocketTapTests {
    private let deflater = Deflater(windowBits: 15, resetsContext: false)

    /// A frame of a server.
    private static func frame(
        _ payload: [UInt8],
        opcode: UInt8 = 1,
        isFinal: Bool = true,
        isCompressed: Bool = true
    ) -> [UInt8] {
        let first = (isFinal ? 0x80 : 0) | (isCompressed ? 0x40 : 0) | opcode
        let count = payload.count
        let length: [UInt8] =
            switch count {
            case ..<126: [UInt8(count)]
            case ..<65_536: [126, UInt8(count >> 8), UInt8(count & 0xFF)]
            default: [127] + (0..<8).reversed().map { UInt8(count >> ($0 * 8) & 0xFF) }
            }
        return [first] + length + payload
    }

    /// A tap's reading of bytes that come in pieces of a size.
    private static func read(
        _ bytes: [UInt8],
        by size: Int = 7,
        _ compression: AgreedCompression? = AgreedCompression()
    ) -> [String] {
        var tap = SocketTap(from: .backend, compression: compression)
        var said: [String] = []
        for start in stride(from: 0, to: bytes.count, by: size) {
            tap.read(Array(bytes[start..<min(start + size, bytes.count)]).span) { occurrence in
                switch occurrence {
                case .message(let message):
                    let text = String(decoding: message.payload.prefix(20), as: UTF8.self)
                    said.append("\(message.bytes) \(message.payload.count) \(text)")
                case .close(let code, let reason):
                    said.append("close \(code ?? 0)\(reason.isEmpty ? "" : " \(reason)")")
                }
            }
        }
        return said
    }

    @Test("compressed messages are read, each with what came before it", arguments: [1, 7, 1_000])
    func compressed(size: Int) {
        let messages = [#"{"id":1}"#, #"{"id":2}"#, #"{"id":1}"#].map { Array($0.utf8) }
        let bytes = messages.flatMap { Self.frame(deflater.deflate($0)) }
        #expect(
            Self.read(bytes, by: size) == [#"8 8 {"id":1}"#, #"8 8 {"id":2}"#, #"8 8 {"id":1}"#]
        )
    }

    @Test("fragments are one message, and control frames may come between them")
    func fragments() {
        let payload = deflater.deflate(Array("hello, hello".utf8))
        let bytes =
            Self.frame(Array(payload[..<3]), isFinal: false)
            + Self.frame([1], opcode: 9, isCompressed: false)
            + Self.frame(Array(payload[3...]), opcode: 0, isCompressed: false)
            + Self.frame([0x03, 0xE8] + Array("bye".utf8), opcode: 8, isCompressed: false)
        #expect(Self.read(bytes) == ["12 12 hello, hello", "close 1000 bye"])
    }

    @Test("each side may compress each message by itself")
    func noTakeover() {
        let deflater = Deflater(windowBits: 15, resetsContext: true)
        var agreed = AgreedCompression()
        agreed.serverNoContextTakeover = true
        let bytes = ["abc", "abc"].flatMap { Self.frame(deflater.deflate(Array($0.utf8))) }
        #expect(Self.read(bytes, agreed) == ["3 3 abc", "3 3 abc"])
    }

    @Test("messages refer as far back as the two have agreed", arguments: 8...15)
    func windows(bits: Int) {
        // A value that was agreed to have 8 bits is written with 9.
        let written = max(bits, 9)
        let deflater = Deflater(windowBits: written, resetsContext: false)
        var agreed = AgreedCompression()
        agreed.serverMaxWindowBits = bits
        // zlib refers to all but the last 262 bytes of a window.
        let distance = max(1 << written - 262 - 200, 40)
        let filler = (0..<distance).map { _ in UInt8.random(in: 0...255) }
        let text = Array("a text of which there is no other like it".utf8)
        let messages = [text, filler, text, filler, text]
        let compressed = messages.map { deflater.deflate($0) }
        if written > 9 { #expect(compressed[4].count < text.count / 2) }
        let said = Self.read(compressed.flatMap { Self.frame($0) }, by: 1_000, agreed)
        #expect(said.map { $0.prefix { $0 != " " } } == messages.map { "\($0.count)" })
        #expect(said[4] == "\(text.count) \(text.count) a text of which ther")
    }

    @Test("a message that becomes too long is counted as it came, and so is what refers to it")
    func bomb() {
        let long = deflater.deflate([UInt8](repeating: 97, count: 2 << 20))
        let next = deflater.deflate(Array("aaaa".utf8))
        let plain = Self.frame(Array("plain".utf8), isCompressed: false)
        let said = Self.read(Self.frame(long) + Self.frame(next) + plain, by: 4_096)
        #expect(said.count == 3)
        #expect(said.first?.hasSuffix(" 0 ") ?? false)
        #expect(said.dropFirst().first == "\(next.count) 0 ")
        #expect(said.last == "5 5 plain")
    }

    @Test("what is damaged, or compressed without an agreement, is counted")
    func unreadable() {
        let damaged = Self.frame([0xFF, 0xFF, 0xFF]) + Self.frame([1, 2], isCompressed: false)
        #expect(Self.read(damaged).map { $0.prefix(4) } == ["3 0 ", "2 2 "])
        let payload = deflater.deflate(Array("abc".utf8))
        #expect(Self.read(Self.frame(payload), nil) == ["\(payload.count) 0 "])
    }

    @Test(
        "terms are read from the response alone, if there is no other extension",
        arguments: [
            (["permessage-deflate"], true),
            (["permessage-deflate; server_max_window_bits=10"], true),
            ([], false), (["x-other"], false), (["permessage-deflate, x-other"], false),
            (["permessage-deflate; unknown"], false),
        ]
    )
    func terms(values: [String], isRead: Bool) {
        #expect((AgreedCompression(reading: values) != nil) == isRead)
    }
}
