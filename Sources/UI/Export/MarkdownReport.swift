import Basics
package import Model

/// A recording as Markdown, for an issue or a chat: each session with its end and its events.
package struct MarkdownReport {
    private let recording: Recording
    private let utcOffsetSeconds: Int

    package init(of recording: Recording, utcOffsetSeconds: Int) {
        self.recording = recording
        self.utcOffsetSeconds = utcOffsetSeconds
    }

    package var text: String {
        let ids = recording.header.sessions.map(\.id)
        return ids.map(section(of:)).joined(separator: "\n")
    }

    private func section(of id: SessionID) -> String {
        let events = recording.events.filter { $0.session == id }
        var session = SessionSnapshot()
        for event in events { session.apply(event) }
        let names = GenerationText(logins: session.login)
        var lines = ["## \(Self.escaped(id.description))", ""]
        if let capabilities = session.capabilities {
            lines.append("\(Self.escaped(capabilities.title)) at \(capabilities.baseURL)")
            lines.append("")
        }
        if let last = events.last {
            let clock = ViewClock(now: last.moment, utcOffsetSeconds: utcOffsetSeconds)
            let viewModel = ViewModel(session: session, clock: clock, focus: PaneCatalogue.first)
            let state = StateSummary(of: viewModel).parts.joined(separator: " · ")
            lines += ["At the end, \(clock.when(last.moment)): **\(Self.escaped(state))**", ""]
        }
        lines += Self.head("tokens")
        for event in events {
            let clock = ViewClock(now: event.moment, utcOffsetSeconds: utcOffsetSeconds)
            let time = clock.formatter.timeWithMilliseconds(event.moment.wall)
            let name = names.name(event.generation, login: event.login) ?? "–"
            guard let text = Self.text(event, clock, names) else { continue }
            lines.append(Self.row(time, name, text))
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// Returns a table of one event.
    static func table(_ time: String, _ column: String, _ name: String, _ text: String) -> String {
        (head(column) + [row(time, name, text)]).joined(separator: "\n") + "\n"
    }

    private static func head(_ column: String) -> [String] {
        ["| time | \(column) | event |", "| --- | --- | --- |"]
    }

    private static func row(_ time: String, _ name: String, _ text: String) -> String {
        "| \(time) | \(name) | \(escaped(text)) |"
    }

    /// Returns what happened, or `nil` for what is of no interest afterwards, such as messages.
    private static func text(
        _ event: SessionEvent,
        _ clock: ViewClock,
        _ names: GenerationText
    ) -> String? {
        let kind = event.kind
        guard type(of: kind).isReported else { return nil }
        guard let feed = kind as? any FeedEvent else {
            return HistoryText(clock: clock, keys: .standard).text(kind)
        }
        return feed.line.map { line in
            "feed: " + FeedRow.text(line) { names.number($1, login: event.login) }
        }
    }

    /// Text of a server must not become markup.
    static func escaped(_ text: String) -> String {
        text.visibleInOneLine.reduce(into: "") { result, character in
            if "\\`*_[]<>|#&~".contains(character) { result.append("\\") }
            result.append(character)
        }
    }
}
