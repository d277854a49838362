import Basics

/// A rule that gives a response a meaning, by its status alone or by its status and body.
struct ResponseRule: Sendable, Hashable {
    /// The meaning of the status alone if the body is not in the dialect's format.
    enum WithoutBody: String, Sendable, Hashable, CaseIterable {
        /// The rule does not apply.
        case never
        /// The rule applies to the second such response in a row.
        case twice
        /// The rule applies.
        case once
    }

    enum Match: Sendable, Hashable {
        case full
        /// The status matches, but the body is not in the dialect's format.
        case bare
    }

    /// The statuses; if empty, any.
    var statuses: Set<Int> = []
    /// A key path that must exist in the body.
    var key: String?
    /// The values allowed there; if empty, any.
    var values: [JSONValue] = []
    /// A key path that must be absent or null in the body, which must be a JSON object.
    var missing: String?
    var withoutBody = WithoutBody.twice
    /// A header that must be there; if `nil`, any or none.
    var header: HeaderCondition?
    /// Texts of which the body must have one, in any case; if empty, any or none.
    var words: [String] = []
    /// Whether a renewal may help; an access token that is refused otherwise is not renewed.
    var renews = true
    /// The causes that such a refusal states for the refresh token; empty if none in particular.
    var causes: [RefusalCause] = []
    /// Whether such a response says that the request lacked its refresh token.
    var saysTokenIsMissing = false

    /// A header, and a text that its value has, in any case.
    struct HeaderCondition: Sendable, Hashable {
        var name: String
        var text: String?

        /// As a profile writes it.
        var shown: String { text.map { "\(name): \($0)" } ?? name }

        func matches(_ response: WireResponse) -> Bool {
            response.headers.contains { header in
                guard header.name.isEqualIgnoringCase(name) else { return false }
                return text.map {
                    header.value.asciiLowercased.containsBytes(of: $0.asciiLowercased)
                } ?? true
            }
        }
    }

    /// The size of the beginning of a body in which words are looked for, in bytes.
    private static let searched = 8_192

    /// Whether the rule depends on the body.
    var asksBody: Bool { key != nil || missing != nil }

    /// Returns the rule for every status, or `nil` if it does not name an error by its code or text.
    func forAnyStatus(ifErrorIsIn places: [String]) -> ResponseRule? {
        guard let key, places.contains(key), !values.isEmpty,
            values.allSatisfy({ $0.stringValue != nil })
        else { return nil }
        var rule = self
        rule.statuses = []
        rule.withoutBody = .never
        return rule
    }

    /// Returns whether the body of a message matches, whatever the rule says about statuses.
    func matches(_ json: JSONValue) -> Bool {
        guard case .object = json else { return false }
        if let missing { return json.value(at: missing).map { $0 == .null } ?? true }
        guard let found = key.flatMap({ json.value(at: $0) }) else { return false }
        return values.isEmpty || values.contains { Self.isSame($0, found) }
    }

    /// Returns how the response matches, or `nil` if it does not.
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

    /// Returns how the response matches, its headers and words included, or `nil` if it does not.
    func match(_ response: WireResponse, _ body: ResponseBody) -> Match? {
        guard header?.matches(response) ?? true else { return nil }
        if !words.isEmpty {
            let text = String(decoding: response.body.prefix(Self.searched), as: UTF8.self)
                .asciiLowercased
            guard words.contains(where: { text.containsBytes(of: $0.asciiLowercased) }) else {
                return nil
            }
        }
        return match(status: response.status, body)
    }

    /// Returns the value in the body at the key, or the whole body if there is no key, or `nil` if
    /// the body is not in the dialect's format.
    private func shape(of body: ResponseBody) -> JSONValue? {
        guard body.isObject, let json = body.json else { return nil }
        return key.map { json.value(at: $0) } ?? json
    }

    /// Compares values; texts without case and spaces, since backends are not consistent in either.
    ///
    /// A list is compared element by element.
    private static func isSame(_ expected: JSONValue, _ found: JSONValue) -> Bool {
        if case .array(let elements) = found {
            return elements.contains { isSame(expected, $0) }
        }
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
    /// Returns whether the body of a response decides if one of the rules applies.
    func asksBody(of response: WireResponse) -> Bool {
        contains { rule in
            (rule.asksBody || !rule.words.isEmpty)
                && (rule.statuses.isEmpty || rule.statuses.contains(response.status))
                && rule.header?.matches(response) ?? true
        }
    }

    /// Returns the first rule by which a response refuses an access token, or `nil` if none does.
    func refusal(_ response: WireResponse, _ body: ResponseBody) -> DecidingRule? {
        first { $0.match(response, body) != nil }.map { rule in
            let condition = rule.condition(isBare: false)
            return rule.renews ? .refused(condition) : .notRenewable(condition)
        }
    }

    /// Returns what the best match of all rules asked for, or `nil` if none matches.
    func match(status: Int, _ body: ResponseBody) -> RuleCondition? {
        best(status: status, body).map { $0.rule.condition(isBare: $0.match == .bare) }
    }

    /// Returns what the rule of the best match says of the refresh token.
    func causes(status: Int, _ body: ResponseBody) -> [RefusalCause] {
        guard let best = best(status: status, body), best.match == .full else { return [] }
        return best.rule.causes
    }

    /// Returns whether the rule of the best match says that the request lacked its refresh token.
    func saysTokenIsMissing(status: Int, _ body: ResponseBody) -> Bool {
        best(status: status, body)?.rule.saysTokenIsMissing ?? false
    }

    private func best(
        status: Int,
        _ body: ResponseBody
    ) -> (rule: ResponseRule, match: ResponseRule.Match)? {
        let matches = compactMap { rule in
            rule.match(status: status, body).map { (rule: rule, match: $0) }
        }
        return matches.first { $0.match == .full } ?? matches.first
    }
}

extension ResponseRule {
    fileprivate func condition(isBare: Bool) -> RuleCondition {
        RuleCondition(
            statuses: statuses.sorted(),
            key: key,
            values: values,
            missing: missing,
            header: header?.shown,
            words: words.isEmpty ? nil : words,
            isBare: isBare
        )
    }
}
