import Dialects

extension Fault {
    /// Before anything is done; the client cannot know that.
    package static let serverError = serverError(status: nil)

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
}
