import Basics
import FoundationEssentials
import Model
import Profiles

/// Both tokens of a pair, the present one or one that has ended: what they are and what they claim.
struct TokenDetail {
    let pair: PairDescription
    /// `gen 7`.
    let name: String
    /// The use of the token, or `nil` if that is no longer known.
    let use: GenerationRecord?
    let viewModel: ViewModel

    var document: Document {
        var document = Document(title: "Tokens of \(name)")
        addUse(to: &document)
        if !pair.statements.account.isEmpty {
            document.addHeading("Account")
            for detail in pair.statements.account { document.add(detail.name, Line(detail.value)) }
        }
        if let scopes = pair.statements.scopes,
            !pair.statements.account.contains(where: { $0.name == "scope" })
        {
            document.add("scope", Line(scopes.joined(separator: " ")))
        }
        if let access = pair.access {
            add("Access token", access, pair.accessExpiry, to: &document)
        }
        if let refresh = pair.refresh {
            add("Refresh token", refresh, pair.refreshExpiry, to: &document)
        }
        if isPresent { document.add(viewModel.session.refreshTokenProblem) }
        if !pair.captures.isEmpty {
            document.addHeading("Captured values")
            for capture in pair.captures {
                document.add(capture.reference.name, CaptureText.line(capture))
            }
        }
        if isPresent, let refusal = viewModel.session.refusal {
            document.addHeading("Refresh token refused")
            document.add(refusal)
        }
        return document
    }

    private var isPresent: Bool { use != nil && use == viewModel.session.current }

    /// Of a pair that is in use the pane says it.
    private func addUse(to document: inout Document) {
        guard !isPresent else {
            guard case .fresh = viewModel.session.state, !viewModel.isObserved else { return }
            let fresh = GlossaryTerm.fresh
            return document.add("state", "\(fresh.name): \(fresh.meaning)")
        }
        document.add(TokenText.origin(pair.origin), viewModel.clock.when(pair.issuedAt))
        guard let use else { return }
        if let end = use.replacedAt { document.add("in use until", viewModel.clock.when(end)) }
        let refused = use.refusals > 0 ? ", refused ×\(use.refusals)" : ""
        document.add("requests", "\(use.requests)\(refused)")
        if !use.sockets.isEmpty { document.add("feed", TokenText.sockets(use.sockets)) }
    }

    private func add(
        _ name: String,
        _ token: TokenDescription,
        _ deadline: Deadline?,
        to document: inout Document
    ) {
        document.addHeading(name)
        document.add("fingerprint", token.fingerprint.description, .identity)
        document.add(
            "format",
            "\(TokenText.format(token)), \(CountFormatter.bytes(token.byteCount))"
        )
        let unusable =
            name == "Access token" ? pair.unusableExpiries.access : pair.unusableExpiries.refresh
        document.add("expires", deadline.map(expiry) ?? Line(unknown(unusable), .warning))
        for statement in unusable where deadline != nil {
            document.add("⚠ not used", ExpiryText.unusable(statement), .warning)
        }
        for reading in deadline?.expiry.mismatch ?? [] {
            let life = DurationFormatter.long(reading.stated)
            document.add("⚠ says", "\(ExpiryText.source(reading.source)): \(life)", .warning)
        }
        for name in token.claims.keys.sorted(by: Self.isBefore) {
            guard let value = token.claims[name] else { continue }
            document.add(name, claim(name, value))
        }
    }

    private func unknown(_ unusable: [UnusableExpiry]) -> String {
        unusable.first.map(ExpiryText.unusable) ?? "nothing says when"
    }

    private func expiry(_ deadline: Deadline) -> Line {
        let expiry = deadline.expiry
        let life =
            ExpiryText.mark(expiry.isApproximate)
            + DurationFormatter.long(abs(deadline.statedLifetime))
        let order = deadline.statedLifetime < 0 ? "before" : "after"
        let source = ExpiryText.source(expiry.source)
        let end = ExpiryText.endMark(expiry) + viewModel.clock.when(deadline.statedEnd)
        return "\(end), \(life) \(order) it was asked for · by \(source)"
    }

    private func claim(_ name: String, _ value: JSONValue) -> Line {
        let text = Line(value.serialized)
        guard Self.dates.contains(name), let seconds = value.numberValue, seconds.isFinite else {
            return text
        }
        let date = Date(timeIntervalSince1970: seconds)
        let when = viewModel.clock.formatter.when(date, now: viewModel.clock.shown.wall)
        return text + Line("  \(when)", .dim)
    }

    private static let dates: Set<String> = ["exp", "iat", "nbf", "auth_time"]
    private static let order = ["iss", "sub", "aud", "iat", "nbf", "exp"]

    /// The registered claims first (RFC 7519 section 4.1), then the others by name.
    private static func isBefore(_ left: String, _ right: String) -> Bool {
        let places = (order.firstIndex(of: left), order.firstIndex(of: right))
        switch places {
        case (let left?, let right?): return left < right
        case (_?, nil): return true
        case (nil, _?): return false
        case (nil, nil): return left < right
        }
    }
}

extension Document {
    /// Why a refresh token renews nothing any more.
    mutating func add(_ problem: RefreshTokenProblem?) {
        guard let problem else { return }
        add(TokenText.name(problem), TokenText.consequence(problem), .bad)
    }
}
