import Tokens

/// An answer that a dialect gives a meaning: by its status alone, or by its status and what its
/// body holds.
struct ResponseRule: Sendable, Hashable {
    /// What the status alone proves when the body is not of the dialect's shape.
    enum WithoutBody: String, Sendable, Hashable, CaseIterable {
        /// Nothing.
        case never
        /// The meaning, when it comes twice.
        case twice
        /// The meaning.
        case once
    }

    enum Match: Sendable, Hashable {
        case full
        /// The status is right, but the body is not of the dialect's shape.
        case bare
    }

    /// Empty means any.
    var statuses: Set<Int> = []
    /// A key path that the body must have.
    var key: String?
    /// What stands there; empty means anything.
    var values: [JSONValue] = []
    /// A key path that the body, a JSON object, does not have, or where it has null.
    var missing: String?
    var withoutBody = WithoutBody.twice

    /// Whether more than the status counts.
    var asksBody: Bool { key != nil || missing != nil }

    /// `nil` when the rule says nothing about the answer.
    func match(status: Int, _ body: ResponseBody) -> Match? {
        guard statuses.isEmpty || statuses.contains(status) else { return nil }
        if let missing {
            guard body.isObject, let json = body.json else { return nil }
            let found = json.value(at: missing)
            return found == nil || found == .null ? .full : nil
        }
        guard let found = shape(of: body) else {
            switch withoutBody {
            case .never: return nil
            case .twice: return .bare
            case .once: return .full
            }
        }
        return values.isEmpty || values.contains { Self.isSame($0, found) } ? .full : nil
    }

    /// What the body holds under the key, or the whole body where there is no key, or `nil` if the
    /// body is not of the dialect's shape.
    private func shape(of body: ResponseBody) -> JSONValue? {
        guard body.isObject, let json = body.json else { return nil }
        return key.map { json.value(at: $0) } ?? json
    }

    /// Texts are compared in lower case and without spaces: backends are not constant in either.
    private static func isSame(_ expected: JSONValue, _ found: JSONValue) -> Bool {
        guard let expectedText = expected.displayText, let foundText = found.displayText else {
            return expected == found
        }
        return plain(expectedText) == plain(foundText)
    }

    private static func plain(_ text: String) -> String {
        String(text.lowercased().filter { !$0.isWhitespace })
    }
}

extension [ResponseRule] {
    /// The best match that any rule finds.
    func match(status: Int, _ body: ResponseBody) -> ResponseRule.Match? {
        let matches = compactMap { $0.match(status: status, body) }
        return matches.contains(.full) ? .full : matches.first
    }
}
