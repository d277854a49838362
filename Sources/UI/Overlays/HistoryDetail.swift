import Basics
import Model

/// All that is known of one entry of the history: of a pair its tokens, of a request its answer, of
/// everything else what its line of JSON says.
struct HistoryDetail {
    let entry: HistoryEntry
    let viewModel: ViewModel

    var document: Document {
        if let pair = (entry.kind as? TokensIssued)?.pair {
            return tokens(pair)
        } else if let exchange = entry.kind as? Exchange {
            guard let request = viewModel.session.requests.entry(numbered: exchange.id) else {
                return event
            }
            return RequestDetail(request: request, viewModel: viewModel).document
        } else {
            return event
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
        let text = HistoryText(clock: viewModel.clock, keys: viewModel.keys).text(entry.kind)
        document.add("what", Line(text, HistoryText.style(entry.kind)))
        if let evidence = (entry.kind as? RefreshTokenRefused)?.evidence {
            document.addHeading("Refresh token refused")
            document.add(evidence)
        }
        addFields(to: &document)
        return document
    }

    /// Adds the fields of its line of JSON, by their names.
    private func addFields(to document: inout Document) {
        let fields = EventLine.fields(of: entry.kind, at: entry.at, causes: CauseText())
            .sorted { $0.name < $1.name }
        document.addHeading("As --json has it: \(entry.kind.name)")
        if fields.isEmpty { document.add(Line("nothing else", .dim)) }
        let width = (fields.map(\.name.count).max() ?? 0) + 2
        for field in fields {
            let text = field.value.displayText ?? field.value.serialized
            document.add(Line(field.name, .dim).fitted(to: width) + Line(text))
        }
    }
}
