/// The contents of a close frame (RFC 6455 sections 5.5.1 and 7.4).
package struct CloseFrame: Sendable, Equatable {
    /// Stands for a close frame without a code; never sent.
    static let noCode: UInt16 = 1005
    /// Stands for an end without a close frame; never sent.
    static let abnormal: UInt16 = 1006

    var code: UInt16
    var reason: String

    /// Creates a close frame to send: a code that must not be sent is omitted, and a reason that is
    /// too long is cut between characters.
    init(code: UInt16, reason: String) {
        guard Self.mayBeSent(code) else {
            self.code = Self.noCode
            self.reason = ""
            return
        }
        self.code = code
        self.reason = Self.cut(reason, to: 123)
    }

    /// Parses the payload of a peer's close frame.
    init(payload: [UInt8]) throws(WebSocketFailure) {
        guard let high = payload.first else {
            code = Self.noCode
            reason = ""
            return
        }
        guard payload.count > 1 else { throw .protocolError("close frame of one byte") }
        code = UInt16(high) << 8 | UInt16(payload[1])
        guard Self.mayBeSent(code) else { throw .protocolError("close code \(code)") }
        guard let text = String(validating: payload[2...], as: UTF8.self) else {
            throw .invalidText("close reason is not UTF-8")
        }
        reason = text
    }

    var payload: [UInt8] {
        guard code != Self.noCode else { return [] }
        return [UInt8(code >> 8), UInt8(truncatingIfNeeded: code)] + Array(reason.utf8)
    }

    /// Returns whether a code may be sent: those of RFC 6455 and its registry, and the ranges for
    /// libraries and applications.
    static func mayBeSent(_ code: UInt16) -> Bool {
        switch code {
        case 1000...1003, 1007...1014, 3000...4999: true
        default: false
        }
    }

    private static func cut(_ text: String, to limit: Int) -> String {
        guard text.utf8.count > limit else { return text }
        var kept = ""
        var size = 0
        for character in text {
            size += character.utf8.count
            guard size <= limit else { break }
            kept.append(character)
        }
        return kept
    }
}
