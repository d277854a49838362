/// Why a response is refused before a client takes it: it breaks HTTP, or has no bounds.
package enum ResponseViolation: Error, Sendable, Hashable {
    /// A status below 100, which is none (RFC 9110 section 15).
    case status(Int)
    /// More interim responses (1xx) than this, and no final one.
    case interimResponses(Int)
    /// A 101 to a request that did not ask for it (RFC 9110 section 7.8).
    case unrequestedUpgrade
    /// A transfer coding besides `chunked`, which no request of ours allows (RFC 9110 section
    /// 10.1.4).
    case transferCoding
    /// The head of a response, or its interim responses together, over this many bytes.
    case headOver(Int)
    /// What frames the body, chunk sizes and trailers, over this many bytes beside the body's own.
    case framingOver(Int)
    /// Bytes while no request is waiting for any.
    case unsolicited
}
