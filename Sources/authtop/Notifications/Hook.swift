import Basics
import Model
import Platform
import Profiles

/// A program or an address that is told of events: one table `[[on]]` of the configuration.
struct Hook: Sendable {
    enum Action: Sendable, Hashable {
        /// Runs a program with its arguments, without a shell.
        case run([String])
        case post(WebAddress)
    }

    /// The file and the line, for messages.
    let place: String
    let rule: NotificationRule
    let action: Action

    static let keys = ["event", "run", "webhook", "profile", "before"]

    init(_ table: SchemaTable) throws(DialectError) {
        place = "\(table.item.file):\(table.item.line)"
        let events = try Self.events(table)
        let profile = try table.string("profile")
        if profile?.isEmpty == true {
            throw table.error(at: "profile", "found no name", "expected the name of a profile")
        }
        let lead = try table.seconds("before")
        let soon = NotificationCondition.sessionEndsSoon.rawValue
        guard lead == nil || events.contains(soon) else {
            throw table.error(at: "before", "has no effect", "expected only with \(soon)")
        }
        rule = NotificationRule(
            events: events,
            profile: profile,
            lead: lead ?? NotificationRule.defaultLead
        )
        action = try Self.action(table)
    }

    private static func events(_ table: SchemaTable) throws(DialectError) -> Set<String> {
        guard let items = try table.strings("event") else { throw table.missing("event") }
        guard !items.isEmpty else {
            throw table.error(at: "event", "found an empty list", "expected an event")
        }
        let conditions = NotificationCondition.allCases.map(\.rawValue).joined(separator: ", ")
        var events: Set<String> = []
        for item in items {
            guard case .string(let name) = item.value, NotificationRule.names.contains(name) else {
                let word = if case .string(let name) = item.value { name } else { "" }
                let near = NearestKey.of(word, among: NotificationRule.names)
                    .map { "; did you mean \($0)?" }
                throw table.error(
                    at: item,
                    "unknown event \(item.kind)",
                    "expected a kind of event, such as signedOut, or \(conditions)\(near ?? "")"
                )
            }
            events.insert(name)
        }
        return events
    }

    private static func action(_ table: SchemaTable) throws(DialectError) -> Action {
        let run = try table.strings("run")
        guard let url = try table.string("webhook") else {
            guard let run else {
                throw table.error(at: table.item, "nothing to do", "expected run or webhook")
            }
            return .run(try words(run, table))
        }
        guard run == nil else {
            throw table.error(at: "webhook", "found beside run", "expected only one of them")
        }
        // Nothing of the URL is shown: its path or its query may be a secret.
        guard let address = try? WebAddress(parsing: url), RequestSyntax.isTarget(address.target)
        else {
            throw table.error(
                at: "webhook",
                "this URL cannot be used",
                "expected one with https, or http to this machine, without a user and a fragment"
            )
        }
        return .post(address)
    }

    private static func words(
        _ items: [TOMLItem],
        _ table: SchemaTable
    ) throws(DialectError) -> [String] {
        let words = items.compactMap { item in
            if case .string(let word) = item.value { word } else { nil }
        }
        // A text in place of a list would be the name of a program, with its blanks.
        guard items.first?.key != "run", words.first?.isEmpty == false,
            !words.contains(where: { $0.utf8.contains(0) })
        else {
            throw table.error(
                at: "run",
                "found no program",
                "expected a list of a program and its arguments, such as [\"notify-send\", \"bye\"]"
            )
        }
        return words
    }
}
