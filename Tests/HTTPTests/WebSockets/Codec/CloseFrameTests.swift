import Testing

@testable import HTTP

@Suite("Close frames")
struct CloseFrameTests {
    private static func payload(_ code: UInt16) -> [UInt8] {
        [UInt8(code >> 8), UInt8(truncatingIfNeeded: code)]
    }

    @Test(
        "a code that may stand on the wire is read, and written again",
        arguments: [
            1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011, 1012, 1013, 1014, 3000, 3999,
            4000, 4401, 4999,
        ] as [UInt16]
    )
    func valid(code: UInt16) throws {
        let payload = Self.payload(code) + "why ✓".bytes
        let frame = try CloseFrame(payload: payload)
        #expect(frame == CloseFrame(code: code, reason: "why ✓"))
        #expect(frame.payload == payload)
    }

    @Test(
        "a code that may not stand on the wire breaks the protocol, and is never sent",
        arguments: [
            0, 1, 999, 1004, 1005, 1006, 1015, 1016, 1100, 2000, 2999, 5000, 0xFFFF,
        ] as [UInt16]
    )
    func invalid(code: UInt16) {
        #expect { try CloseFrame(payload: Self.payload(code)) } throws: {
            ($0 as? WebSocketFailure)?.code == 1002
        }
        #expect(CloseFrame(code: code, reason: "why").payload.isEmpty)
    }

    @Test("without a payload it has no code, which reads as 1005")
    func empty() throws {
        #expect(try CloseFrame(payload: []).code == 1005)
    }

    @Test("one byte breaks the protocol")
    func oneByte() {
        #expect { try CloseFrame(payload: [3]) } throws: {
            ($0 as? WebSocketFailure)?.code == 1002
        }
    }

    @Test("a reason that is not UTF-8 is invalid text")
    func reasonNotText() {
        #expect { try CloseFrame(payload: Self.payload(1000) + [0xCE]) } throws: {
            ($0 as? WebSocketFailure)?.code == 1007
        }
    }

    @Test(
        "a long reason is cut between characters, to what a control frame holds",
        arguments: [("a", 123), ("é", 122), ("👨‍👩‍👧", 108)]
    )
    func longReason(character: String, size: Int) {
        let reason = String(repeating: character, count: 200)
        let payload = CloseFrame(code: 1000, reason: reason).payload
        #expect(payload.count == size + 2)
        #expect(String(validating: payload[2...], as: UTF8.self) != nil)
    }
}
