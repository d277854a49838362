import Basics
import Model

/// All that is known of one entry of the history: of a pair its tokens, of a request its answer, of
/// everything else what its line of JSON says.
struct HistoryDetail {
    let entry: HistoryEntry
    let viewModel: ViewModel

    var document: Document {
        switch entry.kind {
        case .tokensIssued(let pair): return tokens(pair)
        case .request(let record):
            guard let request = viewModel.session.requests.entry(numbered: record.id) else {
                return event
            }
            return RequestDetail(request: request, viewModel: viewModel).document
        default: return event
        }
    }

    /// A pair, also after its end.
    private func tokens(_ pair: PairDescription) -> Document {
        let name = viewModel.generations.name(entry.generation, login: entry.login)
        let use = viewModel.session.generations.last {
            $0.login == entry.login && $0.generation == entry.generation
        }
        return TokenDetail(
            pair: use?.pair ?? pair,
            name: name ?? "gen \(entry.generation)",
            use: use,
            viewModel: viewModel
        ).document
    }

    private var event: Document {
        var document = Document(title: "Event \(entry.number)")
        document.add("time", viewModel.clock.formatter.timeWithMilliseconds(entry.at.wall))
        document.add("login", entry.login == 0 ? "none yet" : "no. \(entry.login) of this run")
        document.add(
            "generation",
            viewModel.generations.name(entry.generation, login: entry.login) ?? "none"
        )
        let text = HistoryText(clock: viewModel.clock).text(entry.kind)
        document.add("what", Line(text, HistoryText.style(entry.kind)))
        if case .refreshTokenRefused(let evidence) = entry.kind {
            document.addHeading("Refresh token refused")
            document.add(evidence)
        }
        addFields(to: &document)
        return document
    }

    /// What a line of JSON says of it, by the names that it has there.
    private func addFields(to document: inout Document) {
        let event = SessionEvent(
            moment: entry.at,
            session: SessionID(""),
            profile: "",
            login: entry.login,
            generation: entry.generation,
            kind: entry.kind
        )
        let line = EventLine.text(of: event, causes: CauseText())
        guard case .object(let members)? = JSONValue(parsing: Array(line.utf8)) else { return }
        let common = Set(EventSchema.commonFields.map(\.name))
        let names = members.keys.filter { !common.contains($0) }.sorted()
        document.addHeading("As --json has it: \(entry.kind.name)")
        if names.isEmpty { document.add(Line("nothing else", .dim)) }
        let width = (names.map(\.count).max() ?? 0) + 2
        for name in names {
            let value = members[name]
            let text = value?.displayText ?? value?.serialized ?? ""
            document.add(Line(name, .dim).fitted(to: width) + Line(text))
        }
    }
}
