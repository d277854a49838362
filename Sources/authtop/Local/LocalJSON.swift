import Basics
import FoundationEssentials
import Model
import Profiles
import Stores
import UI

/// A stored session as one JSON object.
enum LocalJSON {
    static func object(
        _ entry: LocalSessions.Entry,
        _ findings: [StoreFinding],
        _ sessions: LocalSessions,
        at now: Date,
        _ text: StoreText
    ) -> JSONValue {
        let session = entry.session
        var members: [String: JSONValue] = [
            "store": .string(session.store), "name": .string(session.title),
            "state": .string(session.state(at: now).rawValue), "file": .string(session.id.file),
        ]
        func set(_ name: String, _ value: String?) {
            if let value { members[name] = .string(value) }
        }
        set("account", session.account)
        set("server", session.issuer)
        set("client", session.client)
        set("renewedBy", session.renewal?.rawValue)
        set("writtenAt", entry.facts.map { $0.modified.iso8601 })
        for (name, token) in [
            ("access", session.access), ("refresh", session.refresh), ("id", session.idToken),
        ] {
            guard let token else { continue }
            set("\(name)Token", token.fingerprint.digits)
            guard !token.isLimit else {
                set("\(name)EndsBy", token.end.map(\.iso8601))
                continue
            }
            set("\(name)EndsAt", token.end.map(\.iso8601))
            let left = token.end.map { $0.timeIntervalSince(now).rounded(.down) }
            if let left { members["\(name)SecondsLeft"] = .integer(Int64(left)) }
        }
        let own = findings.filter { $0.sessions.contains(session.id) }
        members["findings"] = .array(
            own.map { finding in
                .object([
                    "rule": .string(finding.rule.rawValue),
                    "severity": .string(finding.severity.rawValue),
                    "confidence": .string(finding.confidence.rawValue),
                    "message": .string(text.text(finding, in: sessions, at: now)),
                    "remedy": .string(text.remedy(finding, in: sessions)),
                ])
            }
        )
        return .object(members)
    }
}
