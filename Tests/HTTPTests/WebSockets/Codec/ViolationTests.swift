import HTTP
import Testing

/// A stream that breaks a rule, and where the break must be noticed.
struct Violation: Sendable, CustomTestStringConvertible {
    var name: String
    var code: UInt16
    var bytes: [UInt8]
    /// Bytes after which it is certain.
    var noticed: Int
    var expectsMask = false

    var testDescription: String { "\(code): \(name)" }

    init(
        _ code: UInt16,
        _ name: String,
        _ bytes: [UInt8],
        noticed: Int? = nil,
        expectsMask: Bool = false
    ) {
        self.name = name
        self.code = code
        self.bytes = bytes
        self.noticed = noticed ?? bytes.count
        self.expectsMask = expectsMask
    }

    static let framing: [Violation] = [
        Violation(1002, "RSV1 without an extension", frame(1, [65], reserved: 4), noticed: 1),
        Violation(1002, "RSV2", frame(1, [65], reserved: 2), noticed: 1),
        Violation(1002, "RSV3", frame(1, [65], reserved: 1), noticed: 1),
        Violation(1002, "RSV1 on a ping", frame(9, [65], reserved: 4), noticed: 1),
        Violation(1002, "unmasked text of a client", frame(1, [65]), noticed: 2, expectsMask: true),
        Violation(1002, "masked frame of a server", frame(1, [65], mask: 7), noticed: 2),
        Violation(1002, "masked ping of a server", frame(9, mask: 7), noticed: 2),
        Violation(1002, "fragmented ping", frame(9, final: false), noticed: 1),
        Violation(1002, "fragmented pong", frame(10, final: false), noticed: 1),
        Violation(1002, "fragmented close", frame(8, final: false), noticed: 1),
        Violation(1002, "ping of 126 bytes", [0x89, 126, 0, 126], noticed: 2),
        Violation(1002, "close of 126 bytes", [0x88, 126, 0, 126], noticed: 2),
        Violation(1002, "ping in a 64-bit length", [0x89, 127], noticed: 2),
        Violation(1002, "125 in a 16-bit length", [0x82, 126, 0, 125], noticed: 4),
        Violation(1002, "65535 in a 64-bit length", [0x82, 127, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF]),
        Violation(1002, "length with its highest bit set", [0x82, 127, 0x80, 0, 0, 0, 0, 0, 0, 0]),
    ]

    static let opcodes: [Violation] = ([3, 4, 5, 6, 7, 11, 12, 13, 14, 15] as [UInt8]).map {
        Violation(1002, "opcode \($0)", frame($0), noticed: 1)
    }

    static let fragments: [Violation] = [
        Violation(1002, "continuation of nothing", frame(0, [65]), noticed: 2),
        Violation(1002, "unfinished continuation of nothing", frame(0, final: false), noticed: 2),
        Violation(
            1002,
            "continuation after the end",
            frame(1, [65], final: false) + frame(0, [66]) + frame(0, [67]),
            noticed: 8
        ),
        Violation(
            1002,
            "text inside a message",
            frame(1, [65], final: false) + frame(1, [66]),
            noticed: 5
        ),
        Violation(
            1002,
            "binary inside a message, after a ping",
            frame(2, [65], final: false) + frame(9) + frame(2, [66]),
            noticed: 7
        ),
    ]

    static let text: [Violation] = [
        Violation(1007, "overlong form", frame(1, [0xC0, 0xAF] + "more".bytes), noticed: 3),
        Violation(1007, "surrogate", frame(1, [0xED, 0xA0, 0x80] + "more".bytes), noticed: 4),
        Violation(1007, "beyond U+10FFFF", frame(1, [0xF4, 0x90] + "more".bytes), noticed: 4),
        Violation(1007, "ends inside a character", frame(1, "κ".bytes.dropLast())),
        Violation(
            1007,
            "ends inside a character, in an empty fragment",
            frame(1, [0xCE], final: false) + frame(0)
        ),
        Violation(
            1007,
            "a later fragment, before its end",
            frame(1, "κό".bytes, final: false) + frame(0, [0xCE, 0x41] + "more".bytes),
            noticed: 6 + 2 + 2
        ),
        Violation(
            1007,
            "masked, before its end",
            frame(1, [0x41, 0xFF, 0x41], mask: 0xDEAD_BEEF),
            noticed: 8,
            expectsMask: true
        ),
    ]

    static let closing: [Violation] = [
        Violation(1002, "close of one byte", frame(8, [3])),
        Violation(1002, "close code 1005", frame(8, [0x03, 0xED])),
        Violation(1002, "close code 0", frame(8, [0, 0])),
        Violation(1007, "close reason that is not UTF-8", frame(8, [0x03, 0xE8, 0xC3, 0x28])),
    ]

    static let sizes: [Violation] = [
        Violation(1009, "frame over the limit", [0x82, 126, 0x03, 0xE9], noticed: 4),
        Violation(1009, "frame of 2^56 bytes", [0x82, 127, 1, 0, 0, 0, 0, 0, 0, 0]),
        Violation(
            1009,
            "fragments over the limit together",
            frame(2, [UInt8](repeating: 0, count: 600), final: false) + [0x80, 126, 0x01, 0x91],
            noticed: 608
        ),
    ]

    static let all = framing + opcodes + fragments + text + closing + sizes
}

@Suite("Codec: what breaks the protocol")
struct ViolationTests {
    private static let limits = WebSocketLimits(maximumMessage: 1000, maximumFrame: 1000)

    private func read(_ violation: Violation, pieces: Int = .max) -> Reading {
        Reading(
            violation.bytes,
            pieces: pieces,
            expectsMask: violation.expectsMask,
            limits: Self.limits
        )
    }

    @Test("each has its code", arguments: Violation.all)
    func code(violation: Violation) {
        #expect(read(violation).failure?.code == violation.code)
    }

    @Test("each is noticed at the byte that makes it certain", arguments: Violation.all)
    func noticed(violation: Violation) {
        let reading = read(violation, pieces: 1)
        #expect(reading.failure?.code == violation.code)
        #expect(reading.used == violation.noticed)
    }

    @Test(
        "what came before it is still said",
        arguments: Violation.all.filter { !$0.expectsMask }
    )
    func before(violation: Violation) {
        var preceded = violation
        preceded.bytes = frame(1, "first".bytes) + violation.bytes
        let reading = read(preceded)
        #expect(reading.incoming.first == .text("first"))
        #expect(reading.failure?.code == violation.code)
    }
}
