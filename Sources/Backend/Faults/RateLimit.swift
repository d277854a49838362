import Dialects

extension Fault {
    /// Before anything is done: a limit decides nothing about a token (RFC 6585 section 4).
    package static let rateLimit = Fault(
        name: "rate-limit",
        summary: "429, with Retry-After most of the time",
        before: { exchange, _, random in
            var headers: [WireHeader] = []
            if Int.random(in: 0..<4, using: &random) > 0 {
                let seconds = Int.random(in: 1...60, using: &random)
                headers.append(WireHeader("Retry-After", String(seconds)))
            }
            exchange.response = WireResponse(status: 429, headers: headers)
        }
    )
}
