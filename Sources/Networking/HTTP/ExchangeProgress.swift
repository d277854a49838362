import Dialects
import Lifecycle
import Timekeeping

/// What is known of one exchange so far.
///
/// It holds the answer to the question that decides whether a token is spent: has the request's
/// head left?
struct ExchangeProgress: Sendable {
    private(set) var headSentAt: Instant?
    private(set) var usesNewConnection = false
    private(set) var answerHeadAt: Instant?
    private(set) var answer: WireResponse?

    var stage: ExchangeStage {
        if answer != nil { return .answering }
        return headSentAt == nil ? .connecting : .waiting
    }

    mutating func headSent(at now: Instant, newConnection: Bool) {
        headSentAt = headSentAt ?? now
        usesNewConnection = newConnection
    }

    mutating func answerBegan(_ head: WireResponse, at now: Instant) {
        answerHeadAt = now
        answer = head
    }

    /// - Throws: `bodyOver` when that is more than an answer may have.
    mutating func received(
        _ bytes: some Collection<UInt8>,
        limit: Int
    ) throws(NetworkFault) {
        guard bytes.count <= limit - (answer?.body.count ?? 0) else { throw .bodyOver(limit) }
        answer?.body.append(contentsOf: bytes)
    }

    /// Where the time went, from `start` to `end`.
    func timing(from start: Instant, to end: Instant) -> RequestTiming {
        RequestTiming(
            connect: usesNewConnection ? headSentAt?.seconds(since: start) : nil,
            firstByte: headSentAt.flatMap { answerHeadAt?.seconds(since: $0) },
            body: answerHeadAt.map { end.seconds(since: $0) }
        )
    }
}

/// How far an exchange has come.
enum ExchangeStage: Sendable, Equatable {
    /// No byte of the request has left.
    case connecting
    /// The request's head has left.
    case waiting
    /// The answer's head is here.
    case answering
}
