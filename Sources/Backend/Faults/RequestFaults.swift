import Basics
import Profiles

extension Fault {
    /// Loses the request before the backend sees it; to the client it looks like `dropAfterCommit`.
    static let dropRequest = Fault(
        name: "drop-request",
        summary: "the backend never sees the request",
        kinds: ExchangeKind.allCases,
        before: { exchange, _, _ in exchange.delivery = .dropped }
    )

    /// Delays the response; half of the delay precedes the backend's decision, half of it follows.
    static let delay = delayed(by: nil)

    private static func delayed(by chosen: Double?) -> Fault {
        Fault(
            name: "delay",
            summary: "the answer takes 0.2 to 5 s longer",
            parameter: FaultParameter(.seconds, 0...600),
            before: { exchange, _, random in
                let seconds = chosen ?? random.uniform(0.2...5)
                if Bool.random(using: &random) {
                    exchange.delayBefore += seconds
                } else {
                    exchange.delayAfter += seconds
                }
            },
            setting: { delayed(by: $0) }
        )
    }

    /// Responds before the backend acts: a rate limit says nothing about a token (RFC 6585 section
    /// 4).
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

    /// Responds before the backend acts, which the client cannot know.
    static let serverError = serverError(status: nil)

    private static func serverError(status chosen: Double?) -> Fault {
        Fault(
            name: "server-error",
            summary: "500, 502 or 503 in place of acting",
            kinds: ExchangeKind.allCases,
            parameter: .serverStatus,
            before: { exchange, _, random in
                let statuses = chosen.map { [Int($0)] } ?? [500, 502, 503]
                let status = statuses[Int.random(in: 0..<statuses.count, using: &random)]
                exchange.response = WireResponse(status: status)
            },
            setting: { serverError(status: $0) }
        )
    }

    /// Responds like a router that does not know the path: the backend does not act.
    package static let notFound = Fault(
        name: "not-found",
        summary: "404 in place of acting",
        kinds: ExchangeKind.allCases,
        before: { exchange, _, _ in exchange.response = WireResponse(status: 404) }
    )

    /// Responds like a captive portal or a proxy in the backend's place.
    static let webPage = Fault(
        name: "html-200",
        summary: "a web page comes as the answer, with 200",
        kinds: ExchangeKind.allCases,
        before: { exchange, _, _ in
            exchange.response = WireResponse(
                status: 200,
                headers: [WireHeader("Content-Type", "text/html")],
                body: Array("<!DOCTYPE html><title>Welcome</title>".utf8)
            )
        }
    )

    /// Rejects the request like a proxy in the backend's place, without a body in the dialect's
    /// format.
    static let bareRefusal = Fault(
        name: "bare-refusal",
        summary: "an empty 401 in place of acting",
        kinds: [.refresh],
        before: { exchange, _, _ in
            guard case .refresh = exchange.request else { return }
            exchange.response = WireResponse(status: 401)
        }
    )
}
