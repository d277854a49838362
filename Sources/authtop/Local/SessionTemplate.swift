import Basics
import FoundationEssentials
import Profiles
import Stores
import UI

/// A line of text with fields of a session in braces, for prompts and status bars.
struct SessionTemplate: Sendable {
    enum Field: String, CaseIterable, Sendable {
        case name, account, state, left, ends
        case refreshLeft = "refresh_left"
        case file, server
    }

    /// The fields as they are written, in a list.
    static var fieldNames: String {
        let names = Field.allCases.map { "{\($0.rawValue)}" }
        return names.dropLast().joined(separator: ", ") + " and " + (names.last ?? "")
    }

    private enum Part: Sendable {
        case text(String)
        case field(Field)
    }

    private let parts: [Part]

    /// - Throws: `CommandFailure` for a field that there is not, or a brace without its other one.
    init(_ text: String) throws(CommandFailure) {
        var parts: [Part] = []
        var rest = text[...]
        while let open = rest.unicodeScalars.firstIndex(of: "{") {
            parts.append(.text(String(rest[..<open])))
            let after = rest[rest.unicodeScalars.index(after: open)...]
            guard let close = after.unicodeScalars.firstIndex(of: "}") else {
                throw CommandFailure(.badInput, "--format: a { without a }")
            }
            let name = String(after[..<close])
            guard let field = Field(rawValue: name) else {
                let names = Field.allCases.map(\.rawValue)
                let nearest = NearestKey.of(name, among: names)
                throw CommandFailure(
                    .badInput,
                    "--format: there is no field \"\(name.inOneLine(limit: 30))\": expected one of "
                        + names.joined(separator: ", ")
                        + (nearest.map { "; did you mean \($0)?" } ?? "")
                )
            }
            parts.append(.field(field))
            rest = after[after.unicodeScalars.index(after: close)...]
        }
        parts.append(.text(String(rest)))
        self.parts = parts
    }

    /// The line of a session, with `–` for what is not known.
    func text(of session: StoredSession, at now: Date, _ words: StoreText) -> String {
        parts.map { part in
            switch part {
            case .text(let text): text
            case .field(let field): value(field, session, now, words) ?? "–"
            }
        }
        .joined()
    }

    private func value(
        _ field: Field,
        _ session: StoredSession,
        _ now: Date,
        _ words: StoreText
    ) -> String? {
        switch field {
        case .name: session.title
        case .account: session.account
        case .state: StoreText.word(session.state(at: now))
        case .left: StoreText.left(session, at: now)
        case .ends: session.end.map { words.when($0, now) }
        case .refreshLeft: StoreText.left(session.refresh, at: now)
        case .file: words.path(session.id.file)
        case .server: session.issuer
        }
    }
}
