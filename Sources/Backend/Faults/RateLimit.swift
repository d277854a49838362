import Dialects

extension Fault {
    /// Before anything is done: a limit decides nothing about a token (RFC 6585 section 4).
    package static let rateLimit = rateLimit(retryAfter: nil)

    private static func rateLimit(retryAfter chosen: Double?) -> Fault {
        Fault(
            name: "rate-limit",
            summary: "429, mostly with Retry-After",
            kinds: ExchangeKind.allCases,
            parameter: FaultParameter(.seconds, 0...86_400),
            before: { exchange, _, random in
                var headers: [WireHeader] = []
                if let chosen {
                    headers.append(WireHeader("Retry-After", String(Int(chosen.rounded(.up)))))
                } else if Int.random(in: 0..<4, using: &random) > 0 {
                    let seconds = Int.random(in: 1...60, using: &random)
                    headers.append(WireHeader("Retry-After", String(seconds)))
                }
                exchange.response = WireResponse(status: 429, headers: headers)
            },
            setting: { rateLimit(retryAfter: $0) }
        )
    }
}
