import FoundationEssentials

@testable import Profiles

/// Checks on the message that is kept of a response without tokens.
enum MessageCheck {
    static func check(
        _ failure: ResponseFailure,
        to response: WireResponse,
        hiding tokens: [String]
    ) {
        switch failure {
        case .transient(let status, let message, let retryAfter):
            require(status == response.status, "the status is kept")
            check(message, hiding: tokens)
            check(retryAfter)
        case .clientFault(let status, let message):
            require(status == response.status, "the status is kept")
            // The message may be our own, with words that a hostile server's tokens also contain.
            check(message, hiding: [])
        case .clientForgotten(let status, let message), .forbidden(let status, let message, _):
            require(status == response.status, "the status is kept")
            check(message, hiding: tokens)
        case .undecodable(let status, let message):
            require((200..<300).contains(status), "only a success is undecodable")
            check(message, hiding: [])
        }
    }

    static func check(_ message: String?, hiding tokens: [String]) {
        guard let message else { return }
        requireOneLine(message, limit: 200)
        let pieces = Set(eightByteSequences(in: message))
        require(
            tokens.allSatisfy { pieces.isDisjoint(with: eightByteSequences(in: $0)) },
            "no part of a token is among the words"
        )
    }

    static func check(_ retryAfter: RetryAfter?) {
        switch retryAfter {
        case .seconds(let seconds): require((0...31_536_000).contains(seconds), "\(seconds) s")
        case .date(let date): require(date.timeIntervalSince1970.isFinite, "a date")
        case nil: break
        }
    }

    /// Returns all sequences of eight bytes.
    private static func eightByteSequences(in text: String) -> [[UInt8]] {
        let bytes = Array(text.utf8)
        guard bytes.count >= 8 else { return [] }
        return (0...(bytes.count - 8)).map { Array(bytes[$0..<($0 + 8)]) }
    }
}
