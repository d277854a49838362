import TestSupport

/// Every token that passed a relay, whichever way.
struct TokenHarvest {
    /// A part of a token this long says too much.
    static let length = 12

    let tokens: Set<String>
    private let parts: Set<Substring>

    init(_ relay: Relay) {
        var found: Set<String> = []
        for answer in relay.answers {
            found.formUnion(Self.values(in: answer.body, of: /"(?:\w*token|data)" *: *"([^"]+)"/))
        }
        for request in relay.requests {
            found.formUnion(Self.values(in: request.body, of: /"\w*token" *: *"([^"]+)"/))
            found.formUnion(Self.values(in: request.target, of: /token=([^&]+)/))
            found.formUnion(request.values(of: "authorization").map { String($0.dropFirst(7)) })
        }
        tokens = found.filter { $0.utf8.count >= Self.length }
        parts = Set(tokens.flatMap(Self.parts))
    }

    /// The tokens, or parts of them, that a text gives away.
    func leaks(in text: String) -> [String] {
        Self.parts(of: text).filter(parts.contains).map(String.init)
    }

    private static func values(
        in text: String,
        of pattern: Regex<(Substring, Substring)>
    ) -> [String] {
        text.matches(of: pattern.ignoresCase()).map { String($0.output.1) }
    }

    private static func parts(of text: String) -> [Substring] {
        var parts: [Substring] = []
        var start = text.startIndex
        guard var end = text.index(start, offsetBy: length, limitedBy: text.endIndex) else {
            return []
        }
        parts.append(text[start..<end])
        while end < text.endIndex {
            text.formIndex(after: &start)
            text.formIndex(after: &end)
            parts.append(text[start..<end])
        }
        return parts
    }
}
