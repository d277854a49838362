import Dialects
import FoundationEssentials

/// What must hold of the words that are kept of an answer without tokens.
enum WordsCheck {
    static func check(_ failure: AnswerFailure, to response: WireResponse, hiding tokens: [String])
    {
        switch failure {
        case .transient(let status, let words, let retryAfter):
            require(status == response.status, "the status is kept")
            check(words, hiding: tokens)
            check(retryAfter)
        case .clientFault(let status, let words):
            require(status == response.status, "the status is kept")
            // These may be our own, which may hold what a hostile server has in its tokens.
            check(words, hiding: [])
        case .undecodable(let status, let words):
            require((200..<300).contains(status), "only a success is undecodable")
            check(words, hiding: [])
        }
    }

    static func check(_ words: String?, hiding tokens: [String]) {
        guard let words else { return }
        requireOneLine(words, limit: 200)
        let pieces = Set(eights(in: words))
        require(
            tokens.allSatisfy { pieces.isDisjoint(with: eights(in: $0)) },
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

    /// Every eight bytes in a row.
    private static func eights(in text: String) -> [[UInt8]] {
        let bytes = Array(text.utf8)
        guard bytes.count >= 8 else { return [] }
        return (0...(bytes.count - 8)).map { Array(bytes[$0..<($0 + 8)]) }
    }
}
