import Dialects

extension Fault {
    /// A captive portal or a proxy answers in the backend's place.
    package static let webPage = Fault(
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
}
