/// What a backend wants behind a path's question mark in every request.
///
/// It is no secret: targets are shown and logged.
struct FixedQuery: Sendable, Hashable {
    static let none = FixedQuery("")

    /// Percent-encoded, without the question mark.
    let text: String

    init(_ text: String) {
        self.text = text
    }

    /// The first value under each name.
    var items: [String: String] { FormEncoding.decode(text) }

    /// The target: the path, this, and what else is asked for.
    func target(_ path: String, and others: [String] = []) -> String {
        let parts = (text.isEmpty ? [] : [text]) + others
        return parts.isEmpty ? path : path + "?" + parts.joined(separator: "&")
    }

    /// Whether the request asks for all of this, whatever else it asks for.
    func isPart(of request: WireRequest) -> Bool {
        let found = request.queryItems
        return items.allSatisfy { found[$0.key] == $0.value }
    }
}
