package import Basics
import Model
package import Profiles

/// A request of another program that was sent with the session's token, and its answer, as a part of the
/// program's trace.
package struct ServedExchange: Sendable {
    let method: String
    let token: AccessToken
    let status: Int
    let isRefused: Bool
    let sentAt: Moment
    let trace: TraceContext
    /// The number of the request that it repeats, or `nil` if it was sent for the first time.
    let retryOf: Int?

    /// The most characters of a method that are shown.
    private static let methodLimit = 16

    /// Creates `nil` if the request names no span.
    ///
    /// - Parameters:
    ///   - request: The head of the request, as the program sent it.
    ///   - token: The token that it was sent with.
    ///   - status: That of the answer.
    ///   - isRefused: Whether the answer refuses the token.
    ///   - sentAt: When it was sent.
    ///   - retryOf: The number of the request that it repeats.
    package init?(
        _ request: WireRequest,
        with token: AccessToken,
        status: Int,
        isRefused: Bool,
        sentAt: Moment,
        retryOf: Int? = nil
    ) {
        guard let trace = request.header("traceparent").flatMap(TraceContext.init(parsing:)) else {
            return nil
        }
        method = request.method.inOneLine(limit: Self.methodLimit)
        self.token = token
        self.status = status
        self.isRefused = isRefused
        self.sentAt = sentAt
        self.trace = trace
        self.retryOf = retryOf
    }
}

extension SessionStore {
    /// Records a request of another program that takes part in a renewal: one whose token was refused, or
    /// that is sent again.
    ///
    /// - Parameter exchange: The request and its answer.
    /// - Returns: Its number, or `nil` if what it calls its trace is a secret.
    package func record(_ exchange: ServedExchange) -> Int? {
        let ids = [exchange.trace.trace, exchange.trace.span]
        guard ids.allSatisfy({ secrets.hiding(in: $0) == $0 }) else { return nil }
        step(.served(exchange))
        return machine.lastRecord
    }
}

extension ClientMachine {
    /// Logs a request of another program; what its path names is that program's own.
    mutating func served(_ served: ServedExchange) {
        var exchange = Exchange(
            id: nextRecord(),
            purpose: .protected,
            method: served.method,
            target: "/…",
            result: .answered(status: served.status),
            seconds: clock.now.seconds(since: served.sentAt.now),
            generation: held?.tokens.access == served.token ? held?.generation ?? 0 : 0,
            why: .observed(served.retryOf.map { .retry(of: $0) } ?? .unknown)
        )
        exchange.fingerprint = fingerprinter.fingerprint(of: served.token)
        exchange.acceptance = served.isRefused ? .refused : nil
        exchange.retryOf = served.retryOf
        exchange.trace = served.trace
        emit(exchange)
    }
}
