package import Dialects

/// One request on its way through a backend, and what faults make of it.
package struct BackendExchange: Sendable {
    /// How the answer goes back.
    package enum Delivery: Sendable, Hashable {
        case whole
        /// The connection ends after this many bytes of the body.
        case cut(after: Int)
        /// The connection ends without a word.
        case dropped
        /// As `dropped`, by a reset of the transport.
        case reset
    }

    package let dialect: String
    package let request: RecognisedRequest
    /// The backend's decision; set before it was asked, it takes the place of asking.
    package var answer: BackendResponse?
    /// What is written; set before, it takes the place of the dialect's own message.
    package var response: WireResponse?
    package var delivery = Delivery.whole
    /// Seconds until the backend sees the request.
    package var delayBefore = 0.0
    /// Seconds from the decision to the answer.
    package var delayAfter = 0.0
    /// Seconds by which the answer's `Date` is wrong.
    package var clockSkew = 0.0
    /// When the backend decided, in seconds since 1970.
    package var decidedAt = 0.0

    /// Whether something has taken the backend's place.
    package var isDecided: Bool { answer != nil || response != nil || delivery != .whole }

    package init(dialect: String, request: RecognisedRequest) {
        self.dialect = dialect
        self.request = request
    }
}
