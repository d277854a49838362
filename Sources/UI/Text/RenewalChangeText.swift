import Basics
import Model
import Profiles

/// The differences between the pair in use and the one that it replaced, which no renewal should
/// make.
enum RenewalChangeText {
    /// Whether the answer to the last renewal is an old one: with what shows it, or `nil` if nothing
    /// does.
    static func cached(_ session: SessionSnapshot) -> Line? {
        guard let (new, old) = renewal(session) else { return nil }
        let evidence = new.pair.request.flatMap { session.evidence.evidence(numbered: $0) }
        let marks = evidence.map { cacheMarks(in: $0.headers) } ?? []
        let isSame = new.pair.access?.fingerprint == old.pair.access?.fingerprint
        let list = marks.joined(separator: ", ")
        switch (isSame, marks.isEmpty) {
        case (true, true):
            return Line("⚠ the renewal brought the same access token again", .warning)
        case (true, false):
            return Line("✗ the renewal's answer came from a cache (\(list)): the same token", .bad)
        case (false, false):
            return Line("✗ the renewal's answer came from a cache (\(list))", .bad)
        case (false, true): return nil
        }
    }

    /// The claims that the last renewal took away or replaced.
    static func claims(_ session: SessionSnapshot) -> Line? {
        guard let (new, old) = renewal(session) else { return nil }
        var changes: [String] = []
        // Those that the answers state, or that an earlier renewal has taken away.
        let scopes = session.problems.lostScopes
        if !scopes.isEmpty { changes.append("scope without \(list(scopes))") }
        if let after = new.pair.access?.claims, let before = old.pair.access?.claims,
            !after.isEmpty, !before.isEmpty
        {
            for name in (scopes.isEmpty ? Scopes.claims : []) + ["roles", "permissions"] {
                let lost = values(before[name]).filter { !values(after[name]).contains($0) }
                if !lost.isEmpty { changes.append("\(name) without \(list(lost))") }
            }
            for name in ["iss", "aud"] {
                let (was, isNow) = (values(before[name]), values(after[name]))
                guard Set(was) != Set(isNow), !was.isEmpty else { continue }
                changes.append("\(name) \(isNow.isEmpty ? "gone" : list(isNow)), not \(list(was))")
            }
        }
        guard !changes.isEmpty else { return nil }
        return Line("⚠ the renewal changed the token: \(changes.joined(separator: "; "))", .warning)
    }

    /// The pair in use, and the one that it replaced, if a renewal brought its access token.
    private static func renewal(
        _ session: SessionSnapshot
    ) -> (new: GenerationRecord, old: GenerationRecord)? {
        guard let new = session.current, new.pair.origin == .refresh,
            !new.pair.keepsAccess,
            let old = session.generations.entry(numbered: new.number - 1), old.login == new.login
        else { return nil }
        return (new, old)
    }

    /// The fields by which a cache says that the answer is its own (RFC 9111 section 5.1, RFC 9211).
    private static func cacheMarks(in headers: [WireHeader]) -> [String] {
        headers.compactMap { header in
            let name = header.name.asciiLowercased
            let value = header.value.asciiLowercased
            let isMark =
                switch name {
                case "age": (Int(value) ?? 0) > 0
                case "x-cache", "cf-cache-status", "x-cache-status", "x-proxy-cache":
                    value.containsBytes(of: "hit")
                case "cache-status": value.containsBytes(of: "; hit")
                default: false
                }
            return isMark ? "\(header.name): \(header.value)" : nil
        }
    }

    private static func values(_ claim: JSONValue?) -> [String] {
        switch claim {
        case .string(let text): text.parts(at: " ").map(String.init).filter { !$0.isEmpty }
        case .array(let items): items.compactMap(\.displayText)
        case .some(let value): [value.displayText].compactMap(\.self)
        case nil: []
        }
    }

    private static func list(_ values: [String]) -> String {
        let shown = values.prefix(3).map { $0.inOneLine(limit: 60) }.joined(separator: " ")
        return values.count > 3 ? "\(shown) and \(values.count - 3) more" : shown
    }
}
