import Basics
import Client
import Model
import Profiles

/// The progress of one exchange.
///
/// It determines whether the request's head was sent, and hence whether a token may be spent.
struct ExchangeProgress: Sendable {
    private(set) var headSentAt: Instant?
    private(set) var usesNewConnection = false
    private(set) var answerHeadAt: Instant?
    private(set) var answer: WireResponse?
    /// Why the connection that it waited for was closed, if that is known.
    private(set) var openingFault: NetworkFault?

    var stage: ExchangeStage {
        if answer != nil { return .answering }
        return headSentAt == nil ? .connecting : .waiting
    }

    mutating func headSent(at now: Instant, newConnection: Bool) {
        headSentAt = headSentAt ?? now
        usesNewConnection = newConnection
    }

    mutating func connectionFailed(with fault: NetworkFault) {
        // The request may have gone out right before the fault.
        if answer == nil { openingFault = fault }
    }

    mutating func answerBegan(_ head: WireResponse, at now: Instant) {
        answerHeadAt = now
        answer = head
    }

    /// - Throws: `bodyOver` if the body exceeds the limit.
    mutating func received(
        _ bytes: some Collection<UInt8>,
        limit: Int
    ) throws(NetworkFault) {
        guard bytes.count <= limit - (answer?.body.count ?? 0) else { throw .bodyOver(limit) }
        answer?.body.append(contentsOf: bytes)
    }

    /// Returns how long each stage took, from `start` to `end`.
    func timing(from start: Instant, to end: Instant) -> RequestTiming {
        RequestTiming(
            connect: usesNewConnection ? headSentAt?.seconds(since: start) : nil,
            firstByte: headSentAt.flatMap { answerHeadAt?.seconds(since: $0) },
            body: answerHeadAt.map { end.seconds(since: $0) }
        )
    }
}

/// The stages of an exchange.
enum ExchangeStage: Sendable, Equatable {
    /// No byte of the request has been sent.
    case connecting
    /// The request's head has been sent.
    case waiting
    /// The response's head has arrived.
    case answering
}
