import Basics

/// The captured values in requests to the sandbox.
extension Dialect {
    /// Returns why a request is refused for a captured value that it is to send again, or `nil` if
    /// it is not.
    package func captureProblem(in request: WireRequest) -> SentCaptureProblem? {
        let shapes = requests.filter { !$0.captures.isEmpty && $0.matches(request) }
        guard let shape = shapes.first(where: { $0.hasFixedFields(request) }) ?? shapes.first else {
            return nil
        }
        for capture in shape.captures {
            let sent = shape.sent(capture, in: request)
            if sent.contains("") || sent.isEmpty { return .missing(capture.name) }
            if sent.count > 1 { return .different(capture.name) }
        }
        return nil
    }
}

/// The problem of a captured value in a request.
package enum SentCaptureProblem: Sendable, Hashable {
    case missing(String)
    /// Its places in the request have different values.
    case different(String)
}

extension RequestShape {
    /// Returns what a request has in the places of a capture; an empty text for one without it.
    fileprivate func sent(_ capture: Capture, in request: WireRequest) -> Set<String> {
        var sent = Set<String>()
        for header in headers where !header.isCookie {
            let template = PlaceholderText(header.value)
            guard template.names == [capture.name] else { continue }
            sent.insert(request.header(header.name).flatMap { template.value(in: $0)?.value } ?? "")
        }
        let cookies = request.header(Cookies.header) ?? ""
        for pair in headers.filter(\.isCookie).flatMap({ Cookies.pairs(in: $0.value) }) {
            let template = PlaceholderText(pair.value)
            guard template.names == [capture.name] else { continue }
            let value = Cookies.value(of: pair.name, in: cookies)
            sent.insert(value.flatMap { template.value(in: $0)?.value } ?? "")
        }
        let parts = zip(
            path.parts(at: "/", keepsEmpty: true),
            request.path.parts(at: "/", keepsEmpty: true)
        )
        for (own, other) in parts {
            let template = PlaceholderText(String(own))
            guard template.names == [capture.name] else { continue }
            let value = template.value(in: String(other))?.value ?? ""
            sent.insert(PercentEncoding.decode(value, plusIsSpace: false))
        }
        if fieldPlaceholders.contains(capture.name) {
            sent.insert(values(in: request)[capture.name]?.reveal() ?? "")
        }
        return sent
    }
}
