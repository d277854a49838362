package import Dialects
package import Timekeeping

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
