import Testing

@testable import HTTP

@Suite("Codec: compressed messages")
struct CompressedCodecTests {
    private static let hello = "Hello"

    /// The examples of RFC 7692 section 7.2.3.
    private static let examples: [(name: String, bytes: [UInt8], messages: [String])] = [
        ("a block", [0xC1, 7, 0xF2, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00], [hello]),
        (
            "in two frames",
            [0x41, 3, 0xF2, 0x48, 0xCD, 0x80, 4, 0xC9, 0xC9, 0x07, 0x00], [hello]
        ),
        (
            "with the window of the message before",
            [
                0xC1, 7, 0xF2, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00, 0xC1, 5, 0xF2, 0x00, 0x11, 0x00,
                0,
            ],
            [hello, hello]
        ),
        (
            "without compression",
            [0xC1, 0x0B, 0, 5, 0, 0xFA, 0xFF, 0x48, 0x65, 0x6C, 0x6C, 0x6F, 0], [hello]
        ),
        (
            "a last block, and a message after it",
            [0xC1, 8, 0xF3, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0, 0, 0xC1, 5, 0xF2, 0, 0x11, 0, 0],
            [hello, hello]
        ),
        (
            "two blocks",
            [
                0xC1, 0x0D, 0xF2, 0x48, 0x05, 0, 0, 0, 0xFF, 0xFF, 0xCA, 0xC9, 0xC9, 0x07, 0,
            ], [hello]
        ),
        ("an empty message", [0xC1, 1, 0], [""]),
        ("one that is not compressed", [0x81, 5] + Array(hello.utf8), [hello]),
    ]

    @Test("the RFC's examples, however they are cut", arguments: [.max, 1, 2, 3])
    func examples(pieces: Int) {
        for (name, bytes, messages) in Self.examples {
            let reading = Reading(bytes, pieces: pieces, compression: AgreedCompression())
            #expect(reading.incoming == messages.map { .text($0) }, "\(name)")
            #expect(reading.failure == nil, "\(name)")
        }
    }

    @Test("each message by itself, if that was agreed on")
    func noContextTakeover() {
        var agreed = AgreedCompression()
        agreed.serverNoContextTakeover = true
        let block: [UInt8] = [0xC1, 7, 0xF2, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00]
        #expect(Reading(block + block, compression: agreed).incoming.count == 2)
        // It refers to a message before.
        let second: [UInt8] = [0xC1, 5, 0xF2, 0x00, 0x11, 0x00, 0x00]
        #expect(Reading(block + second, compression: agreed).failure?.code == 1007)
    }

    @Test(
        "what is not compressed as agreed is a violation",
        arguments: [
            ("RSV1 on a continuation", [0x41, 1, 0, 0xC0, 1, 0], 1002),
            ("RSV1 on a ping", [0xC9, 0], 1002), ("RSV2", [0xA1, 0], 1002),
            ("RSV3", [0x91, 0], 1002), ("RSV1 and RSV2", [0xE1, 1, 0], 1002),
            ("an unknown kind of block", [0xC1, 1, 0x07], 1007),
            ("lengths that differ", [0xC1, 5, 0, 5, 0, 0, 0], 1007),
            ("a distance beyond the start", [0xC1, 5, 0xF2, 0x00, 0x11, 0x00, 0x00], 1007),
            ("text that is not UTF-8", [0xC1, 8, 0, 2, 0, 0xFD, 0xFF, 0xC0, 0x80, 0], 1007),
        ] as [(String, [UInt8], Int)]
    )
    func violations(name: String, bytes: [UInt8], code: Int) {
        let reading = Reading(bytes, compression: AgreedCompression())
        #expect(reading.failure.map { Int($0.code) } == code, "\(name): \(reading.incoming)")
    }

    @Test("without an agreement RSV1 is a violation")
    func notAgreed() {
        #expect(Reading(Self.examples[0].bytes).failure?.code == 1002)
    }

    @Test("a bomb is closed with 1009 before it has grown beyond the limit")
    func bomb() {
        let zeros = [UInt8](repeating: 0, count: 64 << 20)
        let bomb = Deflater(windowBits: 15, resetsContext: false).deflate(zeros)
        #expect(bomb.count < 1 << 19)
        let bytes = FrameWriter.bytes(.binary, bomb, isCompressed: true)
        let reading = Reading(bytes, compression: AgreedCompression())
        #expect(reading.failure?.code == 1009)
        #expect(reading.incoming.isEmpty)
    }

    @Test("a message of exactly the limit passes, one byte more does not", arguments: [0, 1])
    func limit(more: Int) {
        let limits = WebSocketLimits(maximumMessage: 100_000, maximumFrame: 1000)
        let content = [UInt8](repeating: 7, count: 100_000 + more)
        let payload = Deflater(windowBits: 15, resetsContext: false).deflate(content)
        let bytes = FrameWriter.bytes(.binary, payload, isCompressed: true)
        let reading = Reading(bytes, limits: limits, compression: AgreedCompression())
        #expect(reading.incoming == (more == 0 ? [.binary(content)] : []))
        #expect(reading.failure?.code == (more == 0 ? nil : 1009))
    }
}
