import Basics
import FoundationEssentials
import Model
import Stores

/// The facts about a row of the table, as a text.
struct LocalDetail {
    /// The other places of a token that are listed.
    private static let placeLimit = 5

    let sessions: LocalSessions
    let findings: [StoreFinding]
    let now: Date
    let text: StoreText
    let keys: KeyMap

    func document(_ row: LocalRow) -> Document {
        var document = Document(title: row.title)
        switch row.kind {
        case .profile(let name, let place, let problem):
            document.addHeading(name)
            if !place.isEmpty { document.add("backend", place) }
            if let problem {
                document.add("problem", problem, .warning)
            } else {
                let key = keys.name(of: LocalScreen.watch)
                document.add("session", "none yet: \(key) watches it, and logs in")
            }
        case .problem(let file):
            document.addHeading(file.title)
            document.add("file", text.path(file.path))
            document.add("problem", file.problem.map(StoreText.text) ?? "", .warning)
            if let facts = file.facts { document.add("written", written(facts)) }
        case .stored(let entry, let isOwn):
            add(entry, isOwn: isOwn, to: &document)
        }
        return document
    }

    private func add(_ entry: LocalSessions.Entry, isOwn: Bool, to document: inout Document) {
        let session = entry.session
        let state = session.state(at: now)
        document.addHeading(StoreText.name(session))
        document.add("state", Line(StoreText.word(state), StoreText.style(state)))
        document.add("", StoreText.prospect(session, at: now))
        if let issuer = session.issuer { document.add("server", issuer) }
        if let client = session.client { document.add("client", client) }
        document.add("file", text.path(session.id.file))
        if let facts = entry.facts { document.add("written", written(facts)) }
        if !isOwn {
            let last = entry.history.last { $0.writer != nil }
            let writer = last.flatMap { change in
                change.writer.map { "\($0), \(text.when(change.at, now))" }
            }
            let isOld = entry.history.allSatisfy { $0.kind == .found }
            let reason =
                isOld ? "it was written before the start" : "the file was closed before it was seen"
            document.add("by", writer ?? "not known: \(reason)")
        }
        addFindings(about: session.id, to: &document)
        for (name, token) in [
            ("Access token", session.access), ("Refresh token", session.refresh),
            ("ID token", session.idToken),
        ] {
            guard let token else { continue }
            document.addHeading(name)
            add(token, to: &document)
        }
        guard !isOwn else { return }
        document.addHeading("The file since the start")
        if entry.forgotten > 0 {
            document.add(Line("\(entry.forgotten) older changes are not kept", .dim))
        }
        for change in entry.history.reversed() { document.add(text.text(change, now)) }
    }

    private func written(_ facts: FileFacts) -> String {
        "\(text.when(facts.modified, now)), mode 0\(String(facts.mode, radix: 8))"
    }

    /// Adds the findings, before the tokens so that they are in sight on a small screen.
    private func addFindings(about id: StoredSession.ID, to document: inout Document) {
        let found = findings.filter { $0.sessions.contains(id) }
        guard !found.isEmpty else { return }
        document.addHeading("What is wrong")
        for finding in found {
            let severity = finding.severity
            let mark = "\(FindingText.symbol(severity)) \(severity.rawValue)"
            document.add(
                Line(mark, FindingText.style(severity)).fitted(to: Document.nameWidth)
                    + text.sentence(finding, in: sessions, at: now)
            )
            document.add("remedy", text.remedy(finding, in: sessions))
            if !finding.tokens.isEmpty {
                let tokens = finding.tokens.map { Line($0.description, .identity) }
                document.add("token", tokens.joined(by: Line(" → ", .dim)))
            }
            let others = finding.sessions.filter { $0.file != id.file }
            for other in others.prefix(Self.placeLimit) {
                let title = sessions.entries[other].map { " (\($0.session.title))" } ?? ""
                document.add("also at", "\(text.path(other.file))\(title)")
            }
            let rest = others.count - Self.placeLimit
            if rest > 0 { document.add("", "and at \(rest) more places", .dim) }
        }
    }

    private func add(_ token: StoredToken, to document: inout Document) {
        let kind = token.claims == nil ? "opaque" : "JWT"
        let size = token.size > 0 ? ", \(CountFormatter.count(token.size, "byte"))" : ""
        document.add(
            "token",
            Line(token.fingerprint.description, .identity) + Line(" \(kind)\(size)")
        )
        document.add("ends", end(of: token))
        if token.isInferred, token.isEndUncertain {
            document.add("", "its lifetime, counted from the time of the file", .dim)
        }
        if token.isLimit {
            document.add("", "at the latest: nothing in the file says when before", .dim)
        }
        if token.isAssumed { document.add("", "nothing states it: the profile assumes it", .dim) }
        if let stated = token.statedEnd, let own = token.claims?.expiresAt,
            abs(stated.timeIntervalSince(own)) > 5
        {
            document.add(
                "",
                "the file says \(text.when(stated, now)), the token itself \(text.when(own, now))"
            )
        }
        guard let claims = token.claims else { return }
        if let issued = claims.issuedAt { document.add("issued", text.when(issued, now)) }
        if let begin = claims.notBefore, begin > now {
            document.add("valid from", text.when(begin, now), .warning)
        }
        for (name, value) in [
            ("issuer", claims.issuer), ("subject", claims.subject), ("audience", claims.audience),
            ("scope", claims.scope),
        ] {
            if let value { document.add(name, value) }
        }
    }

    /// The date, and what is left until it or has passed since.
    private func end(of token: StoredToken) -> Line {
        guard let end = token.end else { return Line("nothing says when", .dim) }
        let date = text.when(end, now)
        guard token.isEnded(at: now) else {
            return Line("\(date), in \(StoreText.left(token, at: now) ?? "")")
        }
        let seconds = now.timeIntervalSince(end).rounded(.down)
        return Line("\(date), \(DurationFormatter.counting(seconds)) ago", .bad)
    }
}
