import Dialects

extension Fault {
    /// Before anything is done; the client cannot know that.
    package static let serverError = Fault(
        name: "server-error",
        summary: "500, 502 or 503 in place of acting",
        before: { exchange, _, random in
            let statuses = [500, 502, 503]
            let status = statuses[Int.random(in: 0..<statuses.count, using: &random)]
            exchange.response = WireResponse(status: status)
        }
    )
}
