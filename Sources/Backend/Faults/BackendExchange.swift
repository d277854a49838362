package import Dialects
package import Timekeeping

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

extension AuthBackend {
    /// The first half of an exchange: what happens before the backend sees the request.
    ///
    /// The caller waits `delayBefore` seconds before the second half.
    package mutating func begin(
        _ request: RecognisedRequest,
        in policy: BackendPolicy,
        under faults: [Fault],
        drawing random: inout SeededGenerator
    ) -> BackendExchange {
        var exchange = BackendExchange(dialect: policy.name, request: request)
        for fault in faults { fault.before?(&exchange, &self, &random) }
        return exchange
    }

    /// The second half: the backend's decision, written as the dialect writes it.
    ///
    /// The caller waits `delayAfter` seconds before delivering it.
    ///
    /// - Parameters:
    ///   - exchange: As `begin` left it.
    ///   - write: How the dialect writes an answer.
    ///   - policy: The dialect's.
    ///   - faults: The same as for `begin`.
    ///   - random: The run's generator.
    ///   - now: Seconds since 1970.
    package mutating func finish(
        _ exchange: inout BackendExchange,
        writing write: (BackendResponse) -> WireResponse,
        in policy: BackendPolicy,
        under faults: [Fault],
        drawing random: inout SeededGenerator,
        at now: Double
    ) {
        exchange.decidedAt = now
        if exchange.response == nil, exchange.delivery == .whole {
            let answer = exchange.answer ?? handle(exchange.request, in: policy, at: now)
            exchange.answer = answer
            for fault in faults { fault.decided?(&exchange, &self, &random) }
            exchange.response = write(exchange.answer ?? answer)
        }
        for fault in faults { fault.written?(&exchange, &self, &random) }
    }
}
