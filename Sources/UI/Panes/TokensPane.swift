import Basics
import Model
import Profiles

/// Which tokens are live, and what used them.
enum TokensPane: Pane {
    static let id = PaneID(rawValue: 1)
    static let title = "Tokens"
    static let extent = PaneExtent(isHalf: true, minimum: 4, comfortable: 5, maximum: 7)
    static let legend: [Line] = [
        "\("‹3f9c21ab›", .identity)  names a token: same digits, same token"
    ]

    static func lines(_ viewModel: ViewModel, columns: Int, rows: Int) -> [Line] {
        guard let current = viewModel.session.current else {
            return EmptyTokensPane(viewModel: viewModel, columns: columns).lines.best(rows)
        }
        var lines = RankedLines()
        lines.add(0, row("access", access(current, viewModel), columns))
        lines.add(4, row("", usage(current, viewModel), columns))
        let problem = viewModel.session.refreshTokenProblem
        if let problem {
            lines.add(1, row("refresh", ways(problem, current.pair.refresh), columns))
        } else if let refresh = current.pair.refresh {
            let use = viewModel.session.refreshToken
            lines.add(1, row("refresh", refreshWays(refresh, use, current, viewModel), columns))
            lines.add(5, row("", rotation(viewModel, use, current), columns))
        } else {
            let none = viewModel.isObserved ? "none seen" : "none: a new login when it ends"
            lines.add(1, row("refresh", [Line(none)], columns))
        }
        lines.add(3, row("vault", vault(viewModel), columns))
        lines.add(2, row("last", ending(viewModel), columns))
        lines.add(6, row("session", session(viewModel), columns))
        return lines.best(rows)
    }

    static func detail(_ viewModel: ViewModel, of number: Int?) -> Document? {
        guard let current = viewModel.session.current else {
            return viewModel.session.lastEnding.map {
                EndingDetail(ending: $0, viewModel: viewModel).document
            }
        }
        return TokenDetail(
            pair: current.pair,
            name: name(of: current, viewModel),
            use: current,
            viewModel: viewModel
        ).document
    }

    private static func name(of record: GenerationRecord, _ viewModel: ViewModel) -> String {
        "generation \(viewModel.generations.number(record.generation, login: record.login))"
    }

    static func row(_ label: String, _ ways: [Line], _ columns: Int) -> Line {
        let width = labelWidth(columns)
        let value = Line.first(of: ways, fitting: columns - width)
        return Line(label, .dim).fitted(to: width) + value
    }

    static func labelWidth(_ columns: Int) -> Int {
        columns >= 44 ? 9 : 8
    }

    private static func access(_ current: GenerationRecord, _ viewModel: ViewModel) -> [Line] {
        let generation = viewModel.generations.number(current.generation, login: current.login)
        guard let token = current.pair.access else {
            return [
                "none seen  \("generation \(generation)", .identity)",
                "none seen \("gen \(generation)", .identity)",
            ]
        }
        let name: Line = "\(token.fingerprint.description, .identity)"
        let format = TokenText.format(token)
        let size = CountFormatter.bytes(token.byteCount)
        let meaning = viewModel.generations.meaning(current.generation, login: current.login)
        let explained: [Line] =
            meaning.map { meaning in
                [
                    name
                        + "  \("generation \(generation)", .identity): \(meaning) · \(format) · \(size)",
                    name + "  \("gen \(generation)", .identity): \(meaning) · \(format)",
                    name + "  \("gen \(generation)", .identity): \(meaning)",
                ]
            } ?? []
        return explained + [
            name + "  \("generation \(generation)", .identity) · \(format) · \(size)",
            name + "  \("gen \(generation)", .identity) · \(format) · \(size)",
            name + " \("gen \(generation)", .identity) · \(format)",
            name + " \("gen \(generation)", .identity)",
        ]
    }

    private static func usage(_ current: GenerationRecord, _ viewModel: ViewModel) -> [Line] {
        let at = viewModel.clock.when(current.pair.issuedAt)
        let origin = TokenText.origin(current.pair.origin)
        let users = [
            current.requests > 0 ? CountFormatter.count(current.requests, "request") : nil,
            current.sockets.isEmpty ? nil : TokenText.sockets(current.sockets),
        ].compactMap(\.self).joined(separator: ", ")
        let used = users.isEmpty ? "not used yet" : "used by \(users)"
        let refused = current.refusals > 0 ? " · refused ×\(current.refusals)" : ""
        return [
            "\(origin) \(at) · \(used)\(refused, .warning)",
            "\(origin) \(at) · \(users.isEmpty ? "unused" : users)\(refused, .warning)",
            "\(at) · \(users.isEmpty ? "unused" : users)\(refused, .warning)",
            "\(used)\(refused, .warning)",
            "\(users.isEmpty ? "unused" : users)\(refused, .warning)",
        ]
    }

    private static func refreshWays(
        _ token: TokenDescription,
        _ use: RefreshTokenUse?,
        _ current: GenerationRecord,
        _ viewModel: ViewModel
    ) -> [Line] {
        let name: Line = "\(token.fingerprint.description, .identity)"
        let age = TokenText.age(use, of: current, viewModel.generations)
        let format = TokenText.format(token)
        return [
            name + "  \(age) · \(format) · \(CountFormatter.bytes(token.byteCount))",
            name + "  \(age) · \(format)",
            name + " \(age)",
        ]
    }

    /// A refresh token that renews nothing any more; it has no name once it is erased.
    private static func ways(_ problem: RefreshTokenProblem, _ token: TokenDescription?) -> [Line] {
        let name = token.map { "\($0.fingerprint.description, .identity)  " as Line } ?? Line()
        let what = Line(TokenText.name(problem), .bad)
        return [name + what + ": \(TokenText.consequence(problem))", name + what, what]
    }

    /// The profile's statement about renewals, unless the last one has shown otherwise.
    private static func rotation(
        _ viewModel: ViewModel,
        _ use: RefreshTokenUse?,
        _ current: GenerationRecord
    ) -> [Line] {
        let sent = "sent \(CountFormatter.count(use?.timesSent ?? 0, "time"))"
        let rotated = current.pair.origin == .refresh ? current.pair.rotated : nil
        let text: Line =
            switch (viewModel.session.capabilities?.rotation, rotated) {
            case (.always, false): "\("not replaced, unlike the profile", .warning)"
            case (.never, true): "\("replaced, unlike the profile", .warning)"
            case (.always, _): "a new one at each renewal"
            case (.never, _): "never rotated by this backend"
            case (.maybe, _): "rotation: the backend's choice"
            case (nil, _): "rotation unknown"
            }
        return [text + " · \(sent)", "\(sent)"]
    }

    /// Returns the whole description, then the part before its colon.
    static func vault(_ viewModel: ViewModel) -> [Line] {
        let text = viewModel.session.capabilities?.vault ?? "–"
        return [
            Line(text), Line(String(text.part(before: ":"))), Line(String(text.part(before: ","))),
        ]
    }

    private static func ending(_ viewModel: ViewModel) -> [Line] {
        guard let ending = viewModel.session.lastEnding else {
            return [Line("no session ended", .dim)]
        }
        let at = viewModel.clock.when(ending.at)
        let style: Style = ending.reason.isWanted ? .plain : .warning
        let said = ending.refusal?.message.map(RefusalText.quoted)
        let quoted: [Line] =
            said.map { said in
                [
                    "ended \(at): \(ReasonText.short(ending.reason), style) · \(said)",
                    "ended \(at): \(said, style)", "\(at) \(said, style)",
                ]
            } ?? []
        return quoted + [
            "ended \(at): \(ReasonText.text(ending.reason), style)",
            "ended \(at): \(ReasonText.short(ending.reason), style)",
            "\(at) \(ReasonText.short(ending.reason), style)",
        ]
    }

    private static func session(_ viewModel: ViewModel) -> [Line] {
        let session = viewModel.session
        let since = session.startedAt.map { " since \(viewModel.clock.when($0))" } ?? ""
        let renewals = session.statistics.renewals
        let renewed = "renewed ×\(renewals.succeeded)"
        let failed = renewals.failed > 0 ? " · failed ×\(renewals.failed)" : ""
        return ["no. \(session.login)\(since) · \(renewed)\(failed, .warning)"]
    }
}
