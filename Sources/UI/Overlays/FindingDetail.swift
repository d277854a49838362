import Basics
import Model

/// All that is known of one finding: what went wrong, the exchanges that prove it, and the remedy.
struct FindingDetail {
    let entry: LoggedFinding
    let viewModel: ViewModel

    private var finding: ObservedFinding { entry.finding }

    var document: Document {
        var document = Document(title: "Finding \(finding.number): \(FindingText.name(finding))")
        let style = FindingText.style(finding.severity)
        document.add("what", Line(finding.message, style))
        document.add("remedy", finding.remedy)
        document.add("severity", finding.severity.rawValue, style)
        document.add("confidence", FindingText.certainty(finding))
        document.add("session", ObservedName.text(entry.session, viewModel.book[entry.session]))
        if let path = finding.path { document.add("path", path.visibleInOneLine) }
        document.add("seen", times)
        if let trace { document.add("trace", trace) }
        if let experiment = finding.experiment {
            document.add("because", "of the experiment \(experiment)")
        }
        document.addHeading("Evidence")
        for item in evidence { document.addUnbroken(line(of: item)) }
        if !finding.references.isEmpty {
            document.addHeading("The same elsewhere")
            document.add(Line(finding.references.joined(separator: "  "), .dim))
        }
        return document
    }

    /// For an issue or a chat.
    var markdown: String {
        var lines = [
            "### \(FindingText.name(finding)): \(MarkdownReport.escaped(finding.message))", "",
        ]
        lines.append("\(finding.severity.rawValue), \(FindingText.certainty(finding)); \(times)")
        if let trace { lines.append("Trace: \(trace)") }
        lines.append("")
        for item in evidence {
            lines.append("- \(MarkdownReport.escaped(line(of: item).text))")
        }
        lines += ["", finding.remedy]
        if !finding.references.isEmpty {
            lines += ["", "The same elsewhere: \(finding.references.joined(separator: ", "))"]
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// In the order of the exchanges, and no item twice.
    private var evidence: [FindingEvidence] {
        var items: [FindingEvidence] = []
        for item in finding.evidence where !items.contains(item) { items.append(item) }
        return items.enumerated().sorted { left, right in
            (left.element.exchange ?? Int.max, left.offset)
                < (right.element.exchange ?? Int.max, right.offset)
        }.map(\.element)
    }

    /// The trace of the app that has the newest refused request of the evidence, else the newest
    /// request; `nil` if the app names none.
    private var trace: String? {
        let traced = evidence.compactMap(request(of:)).map(\.exchange).filter { $0.trace != nil }
        guard let exchange = traced.last(where: \.isRefused) ?? traced.last,
            let trace = exchange.trace
        else { return nil }
        let status = exchange.status.map { "this \($0)" } ?? "this request"
        return "#\(exchange.id): \(status) belongs to your trace \(trace.trace)"
    }

    private var times: String {
        let first = viewModel.clock.when(finding.firstAt)
        guard finding.count > 1 else { return "once, \(first)" }
        return "\(finding.count) times, from \(first) to \(viewModel.clock.when(finding.lastAt))"
    }

    /// `#31  14:02:11.052  POST /auth/refresh  401  second refresh`.
    private func line(of item: FindingEvidence) -> Line {
        let subject = FindingText.subject(item).fitted(to: 12)
        guard let request = request(of: item) else { return subject + Line(item.role) }
        let exchange = request.exchange
        let time = viewModel.clock.formatter.timeWithMilliseconds(request.startedAt.wall)
        return subject + Line("\(time)  ", .dim)
            + RequestText.request(exchange, methodWidth: 4) + Line("  ")
            + Line(RequestText.status(exchange), RequestText.style(exchange))
            + Line("  \(item.role)")
    }

    /// The exchange in the log of the session, if it is still there.
    private func request(of item: FindingEvidence) -> LoggedExchange? {
        switch item.subject {
        case .exchange(let number), .socket(let number):
            let sessions = [entry.session] + viewModel.book.ids.filter { $0 != entry.session }
            return sessions.lazy
                .compactMap { viewModel.book[$0].requests.entry(numbered: number) }.first
        case .token: return nil
        }
    }
}

extension FindingEvidence {
    /// The number of the exchange, or `nil` for a token.
    fileprivate var exchange: Int? {
        switch subject {
        case .exchange(let number), .socket(let number): number
        case .token: nil
        }
    }
}
