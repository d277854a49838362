extension Fault {
    /// The request is lost before the backend sees it; from the client it looks like
    /// `dropAfterCommit`.
    package static let dropRequest = Fault(
        name: "drop-request",
        summary: "the backend never sees the request",
        kinds: ExchangeKind.allCases,
        before: { exchange, _, _ in exchange.delivery = .dropped }
    )
}
