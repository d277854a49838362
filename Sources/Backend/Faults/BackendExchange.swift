package import Basics
package import Model
package import Profiles

/// One request on its way through a backend, and the effect of faults on it.
package struct BackendExchange: Sendable {
    /// The way in which the response is delivered.
    package enum Delivery: Sendable, Hashable {
        case whole
        /// The connection is closed after this many bytes of the body.
        case cut(after: Int)
        /// The connection is closed without a response.
        case dropped
        /// As `dropped`, but by a reset of the transport.
        case reset
    }

    let dialect: String
    package let request: RecognizedRequest
    /// The backend's decision; if it is set before the backend is asked, the backend is not asked.
    package var answer: BackendResponse?
    /// The response on the wire; if it is set before, it replaces the dialect's own.
    package var response: WireResponse?
    package var delivery = Delivery.whole
    /// Seconds until the backend sees the request.
    package var delayBefore = 0.0
    /// Seconds from the decision to the response.
    package var delayAfter = 0.0
    /// The error of the response's `Date`, in seconds.
    package var clockSkew = 0.0
    /// When the backend decided, in seconds since 1970.
    var decidedAt = 0.0

    /// Whether a fault has answered in the backend's place.
    package var isDecided: Bool { answer != nil || response != nil || delivery != .whole }

    init(dialect: String, request: RecognizedRequest) {
        self.dialect = dialect
        self.request = request
    }
}

extension AuthBackend {
    /// Runs the first half of an exchange: what happens before the backend sees the request.
    ///
    /// The caller waits `delayBefore` seconds before it calls `finish`.
    package mutating func begin(
        _ request: RecognizedRequest,
        in policy: BackendPolicy,
        under faults: [Fault],
        drawing random: inout SeededGenerator
    ) -> BackendExchange {
        var exchange = BackendExchange(dialect: policy.name, request: request)
        for fault in faults where fault.canAffect(request) {
            fault.act(before: &exchange, drawing: &random)
        }
        return exchange
    }

    /// Runs the second half of an exchange: the backend decides, and the dialect writes the
    /// response.
    ///
    /// The caller waits `delayAfter` seconds before it delivers the response.
    ///
    /// - Parameters:
    ///   - exchange: The exchange that `begin` returned.
    ///   - write: Writes a response in the dialect.
    ///   - policy: The dialect's policy.
    ///   - faults: The same faults as for `begin`.
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
            let rules = policy.under(faults.filter { $0.canAffect(exchange.request) })
            let answer = exchange.answer ?? handle(exchange.request, in: rules, at: now)
            exchange.answer = answer
            for fault in faults where fault.canAffect(exchange.request) {
                fault.act(decided: &exchange, by: &self)
            }
            exchange.response = write(exchange.answer ?? answer)
        }
        for fault in faults where fault.canAffect(exchange.request) {
            fault.act(written: &exchange, drawing: &random)
        }
    }
}
