import Basics
import FoundationEssentials
import Model
import Profiles

/// The server's statements about the tokens in use, beside the client's own state of them.
struct IntrospectionOverlayText {
    let viewModel: ViewModel
    /// The access token of the pair that the server was asked about.
    let asked: Fingerprint?

    var document: Document {
        var document = Document(title: "Introspection: what the server says")
        guard let pair = viewModel.session.current?.pair else {
            document.add(Line("not logged in: there is no token to ask about", .dim))
            return document
        }
        for question in viewModel.session.capabilities?.questions ?? [] {
            add(question, of: pair, to: &document)
        }
        return document
    }

    private func add(
        _ question: TokenQuestion,
        of pair: PairDescription,
        to document: inout Document
    ) {
        if question == .refresh, pair.refresh == nil { return }
        document.addHeading(IntrospectionText.name(question))
        let dated = viewModel.session.introspections[question]
        addBelief(question, of: pair, to: &document)
        guard let dated, isInUse(dated.introspection.token, in: pair) else {
            guard asked != nil, asked == pair.access?.fingerprint else {
                let key = viewModel.keys.name(of: .introspect)
                return document.add("server says", "nothing yet: \(key) asks about these", .dim)
            }
            return document.add("server says", "asking …", .busy)
        }
        let (introspection, since) = (dated.introspection, viewModel.clock.when(dated.at))
        let texts = IntrospectionText.differences(introspection)
        for text in texts { document.add("⚠ differs", text, .warning) }
        guard let statement = introspection.statement else {
            let text = IntrospectionText.withoutStatement(introspection)
            return document.add("server says", text, .warning)
        }
        if let isActive = statement.isActive {
            let agrees: Style = texts.isEmpty ? (isActive ? .good : .plain) : .warning
            document.add("server says", Line(isActive ? "active" : "not active", agrees))
            if !isActive, question == .refresh {
                document.add("", IntrospectionText.meaningOfInactiveRefresh, .dim)
            }
        }
        if let end = statement.expiresAt {
            document.add("", "ends \(instant(end)), by the server's clock")
        }
        if let text = statement.unusableExpiry {
            document.add("⚠ no end", "exp is no date: \(text.visibleInOneLine)", .warning)
        }
        for (name, value) in IntrospectionText.members(statement) { document.add(name, value) }
        document.add("as of", since, .dim)
    }

    /// Returns whether an answer, which may have come after a renewal, is about the pair.
    private func isInUse(_ token: Fingerprint, in pair: PairDescription) -> Bool {
        token == pair.access?.fingerprint || token == pair.refresh?.fingerprint
    }

    private func addBelief(
        _ question: TokenQuestion,
        of pair: PairDescription,
        to document: inout Document
    ) {
        let token = question == .refresh ? pair.refresh : pair.access
        let deadline = question == .refresh ? pair.refreshExpiry : pair.accessExpiry
        if question == .user {
            let subject = pair.statements.subject.map { "subject \($0)" }
            return document.add("we believe", subject ?? "no subject")
        }
        let end =
            deadline.map { deadline in
                let mark = ExpiryText.endMark(deadline.expiry)
                return "ends \(mark)\(viewModel.clock.when(deadline.statedEnd))"
            } ?? "nothing states its end"
        document.add(
            "we believe",
            Line(token.map { "\($0.fingerprint) " } ?? "", .identity) + Line(end)
        )
    }

    private func instant(_ seconds: Double) -> String {
        let date = Date(timeIntervalSince1970: seconds)
        return viewModel.clock.formatter.when(date, now: viewModel.clock.shown.wall)
    }
}
