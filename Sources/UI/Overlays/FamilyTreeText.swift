import Basics
import Model

/// The family tree of an app's session: who renewed what, what was spent, and who holds what.
struct FamilyTreeText {
    let viewModel: ViewModel

    private var session: SessionSnapshot { viewModel.session }

    var document: Document {
        let id = viewModel.sessionID
        let name = id.map { " of \(ObservedName.text($0, session))" } ?? ""
        var document = Document(title: "Family tree\(name)")
        guard !session.observed.links.isEmpty else {
            document.add(Line("no token of this session was seen yet", .dim))
            return document
        }
        let findings = findings
        let tree = FamilyTree(of: session, marked: Set(findings.keys))
        for row in tree.rows {
            let lead = Line(row.lead, .dim)
            document.add(lead + line(of: row.node, in: tree, findings))
        }
        let holders = holders
        if !holders.isEmpty {
            document.addHeading("Presented by")
            for (name, text) in holders { document.add(name, text) }
        }
        document.add(Line())
        document.add(
            "\("●", .good) held   \("○", .dim) spent or replaced   \("✗", .bad) brought no tokens"
        )
        return document
    }

    // MARK: - Rows

    private func line(
        of node: FamilyTree.Node,
        in tree: FamilyTree,
        _ findings: [Int: [ObservedFinding]]
    ) -> Line {
        switch node {
        case .pair(let link): return line(of: link, in: tree, findings)
        case .failures(let requests): return line(of: requests, findings)
        case .folded(let range):
            let text = "┆ g\(range.lowerBound) to g\(range.upperBound), each renewed once"
            return Line(text, .dim)
        }
    }

    /// `○ g7b  #31    61 s before the end   spent in #42   ‹3f9c21ab› ‹91bb04c7›`.
    private func line(
        of link: TokenLink,
        in tree: FamilyTree,
        _ findings: [Int: [ObservedFinding]]
    ) -> Line {
        let successors = tree.successors(of: link)
        let name = "g\(link.generation)\(link.branch ?? "")"
        let symbol = successors.isEmpty ? Line("● ", .good) : Line("○ ", .dim)
        let origin = Line(origin(of: link))
        let tokens = [link.access, link.refresh].compactMap { $0?.description }
            .joined(separator: " ")
        return symbol + Line(name, .identity).fitted(to: 5)
            + Line("#\(link.exchange)", .strong).fitted(to: 6)
            + origin.fitted(to: max(23, origin.width + 2))
            + stateText(of: link, successors).fitted(to: 17)
            + marks(findings[link.exchange] ?? []) + Line(tokens, .dim)
    }

    private func line(
        of requests: [LoggedExchange],
        _ findings: [Int: [ObservedFinding]]
    ) -> Line {
        let last = requests[requests.count - 1]
        let exchange = last.exchange
        let found = requests.flatMap { findings[$0.number] ?? [] }
        let count = requests.count > 1 ? " ×\(requests.count), last #\(last.number)" : ""
        return Line("✗ ", .bad) + Line("#\(requests[0].number)", .strong)
            + Line("  \(RequestText.status(exchange))", RequestText.style(exchange))
            + Line("\(count)  \(CauseText().text(requests[0].exchange.why))  ") + marks(found)
    }

    private func origin(of link: TokenLink) -> String {
        switch link.kind {
        case .login: "login"
        case .joined: "began earlier"
        case .refresh: CauseText().text(.observed(link.cause))
        }
    }

    private func stateText(of link: TokenLink, _ successors: [TokenLink]) -> Line {
        guard successors.isEmpty else {
            let exchanges = successors.prefix(2).map { "#\($0.exchange)" }.joined(separator: " ")
            let isSpent = successors.contains { $0.refresh != link.refresh }
            guard successors.count == 1 else {
                return Line(isSpent ? "spent \(exchanges)" : "renewed \(exchanges)", .warning)
            }
            return Line(isSpent ? "spent in \(exchanges)" : "replaced in \(exchanges)", .dim)
        }
        if case .ended? = session.observed.status { return Line("ended", .dim) }
        if let refusal = session.requests.last(where: {
            $0.exchange.fingerprint == link.access && $0.wasTokenRefused
        }) {
            return Line("refused in #\(refusal.number)", .bad)
        }
        let pair = session.generations.last { $0.pair.access?.fingerprint == link.access }?.pair
        guard let end = pair?.accessExpiry?.at else { return Line("held", .good) }
        return viewModel.clock.isOver(end)
            ? Line("expired", .warning)
            : Line("\(DurationFormatter.counting(viewModel.clock.left(until: end))) left", .good)
    }

    private func marks(_ findings: [ObservedFinding]) -> Line {
        findings.reduce(Line()) { line, finding in
            line
                + Line(
                    "\(FindingText.symbol(finding.severity)) \(finding.rule)  ",
                    FindingText.style(finding.severity)
                )
        }
    }

    /// The findings in this session, by exchange.
    private var findings: [Int: [ObservedFinding]] {
        var result: [Int: [ObservedFinding]] = [:]
        for entry in viewModel.book.findings where entry.session == viewModel.sessionID {
            for exchange in Set(entry.finding.exchanges) {
                result[exchange, default: []].append(entry.finding)
            }
        }
        return result
    }

    // MARK: - Holders

    /// The newest pairs that each client has presented, and in which request last.
    private var holders: [(name: String, text: String)] {
        var names: [String] = []
        var last: [String: [Fingerprint: Int]] = [:]
        for request in session.requests {
            guard let client = request.exchange.client, let token = request.exchange.fingerprint,
                request.exchange.purpose != .refresh
            else { continue }
            let name = client.shortName ?? client.peer.visibleInOneLine
            if last[name] == nil { names.append(name) }
            last[name, default: [:]][token] = request.number
        }
        return names.compactMap { name in
            let uses = session.observed.links.compactMap { link -> String? in
                guard let access = link.access, let number = last[name]?[access] else { return nil }
                return "g\(link.generation)\(link.branch ?? "") until #\(number)"
            }
            return uses.isEmpty ? nil : (name, uses.suffix(3).joined(separator: ", "))
        }
    }
}
