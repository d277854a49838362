import Basics
import Model

/// Every exchange, with its token and its result.
enum RequestsPane: ListPane {
    static let id = PaneID(rawValue: 3)
    static let title = "Requests"
    static let extent = PaneExtent(isHalf: false, minimum: 2, comfortable: 5, maximum: nil)
    static let fields = [
        FilterField("status", .status), FilterField("path"), FilterField("method"),
        FilterField("gen", .generation), FilterField("why"), FilterField("token", .token),
        FilterField("ms", .milliseconds), FilterField("age", .duration), FilterField("time", .time),
        FilterField("session"), FilterField("client"), FilterField("rule"),
    ]
    static let rowsAbove = 1
    static let keys = [
        KeyCommand(
            keys: ["A"],
            section: .session,
            name: "all_sessions",
            help: "requests of all sessions of an app, or of one",
            appOnly: "the sessions of an app are listed together, in authtop proxy",
            effect: .change { state in
                state.listsAllSessions.toggle()
                state.focus = id
            }
        )
    ]

    static func log(_ viewModel: ViewModel) -> BoundedLog<LoggedExchange> {
        viewModel.requests
    }

    static func emptyText(_ viewModel: ViewModel) -> String { "nothing sent yet" }

    static func notes(_ viewModel: ViewModel, columns: Int) -> [Line] {
        let requests =
            viewModel.listsAllSessions
            ? viewModel.book.requestCounts : viewModel.session.requestCounts
        let counts = requests.exchanges
        let positionText = positionText(viewModel)
        let dot = Line(" · ", .dim)
        let sent = Line("\(CountFormatter.grouped(counts.sent)) sent", .dim)
        let style: Style = counts.refused > 0 ? .warning : .dim
        let refused = Line("\(CountFormatter.grouped(counts.refused)) refused", style)
        let failed = [
            (counts.serverErrors, "× 5xx"), (counts.unanswered, "lost"), (counts.notSent, "unsent"),
        ]
        .filter { $0.0 > 0 }.map { Line("\(CountFormatter.grouped($0.0)) \($0.1)", .bad) }
        let experiments = CountFormatter.grouped(requests.byExperiments)
        let apart =
            requests.byExperiments > 0 ? [Line("\(experiments) by experiments", .dim)] : []
        let spread = LatencyFormatter.spread(of: requests.latencies).map { [Line($0, .dim)] } ?? []
        let extent = viewModel.listsAllSessions ? [Line("all sessions", .strong)] : []
        return [
            extent + [sent, refused] + failed + apart + spread + [positionText],
            extent + [sent, refused] + failed + apart + [positionText],
            extent + [sent, refused] + failed + [positionText],
            extent + [refused] + failed + [positionText], extent + [sent, refused, positionText],
            extent + [positionText], [positionText],
        ]
        .map { $0.joined(by: dot) }
    }

    static func matches(
        _ request: LoggedExchange,
        _ filter: Filter,
        _ viewModel: ViewModel
    ) -> Bool {
        let clock = viewModel.clock.formatter
        let exchange = request.exchange
        return filter.passes { condition in
            let pattern = condition.pattern
            switch condition.field {
            case "status":
                guard let status = exchange.status else {
                    return pattern.isIn(RequestText.status(exchange))
                }
                return pattern.matches(status: status)
            case "path": return pattern.isIn(exchange.target)
            case "method": return pattern.isIn(exchange.method)
            case "gen":
                return pattern.matches(generation: exchange.generation, login: request.login)
            case "token": return pattern.matches(exchange.fingerprint)
            case "ms":
                let seconds = RequestText.seconds(request, viewModel.clock)
                return pattern.matches(DurationFormatter.wholeMilliseconds(seconds))
            case "age": return exchange.tokenAge.map { pattern.matches(seconds: $0) } ?? false
            case "time":
                return pattern.matches(seconds: clock.secondOfDay(request.startedAt.wall))
            case "why": return pattern.isIn(CauseText().text(exchange.why))
            case "session": return pattern.isIn(request.session.description)
            case "client": return exchange.client?.names.contains(where: pattern.isIn) ?? false
            case "rule":
                return viewModel.book.findings.contains { entry in
                    pattern.isIn(entry.finding.rule)
                        && entry.finding.exchanges.contains(exchange.id)
                }
            default:
                return pattern.isIn(exchange.target) || pattern.isIn(exchange.method)
                    || pattern.isIn(RequestText.status(exchange))
                    || pattern.isIn(CauseText().text(exchange.why))
                    || pattern.matches(exchange.id)
            }
        }
    }

    static func heading(_ viewModel: ViewModel, columns: Int) -> [Line] {
        [RequestColumns(columns: columns, hasSession: viewModel.listsAllSessions).heading]
    }

    static func lines(
        of request: LoggedExchange,
        _ viewModel: ViewModel,
        columns: Int,
        rows: Int
    ) -> [Line] {
        let table = RequestColumns(columns: columns, hasSession: viewModel.listsAllSessions)
        let viewModel = viewModel.showing(sessionOf: request)
        // The session knows its result.
        let request = viewModel.session.requests.entry(numbered: request.number) ?? request
        let row = RequestRow(request: request, viewModel: viewModel, isWide: table.isWide)
        return [table.line(row)]
    }

    static func copy(_ viewModel: ViewModel, of number: Int) -> CopiedText? {
        guard let request = viewModel.requests.entry(numbered: number) else { return nil }
        let viewModel = viewModel.showing(sessionOf: request)
        guard let baseURL = viewModel.session.capabilities?.baseURL else { return nil }
        let command = CurlCommand(
            request.exchange,
            baseURL: baseURL,
            template: viewModel.session.capabilities?.requestTemplate
        )
        let lack =
            command.lacksToken ? " without its token, whose place the recording does not state" : ""
        return CopiedText(name: "request #\(number) as curl\(lack)", text: command.text)
    }

    static func detail(_ viewModel: ViewModel, of number: Int?) -> Document? {
        guard let number else { return nil }
        guard let listed = viewModel.requests.entry(numbered: number) else {
            return Document(title: "Request #\(number)", lines: ["no longer in the log"])
        }
        let viewModel = viewModel.showing(sessionOf: listed)
        let request = viewModel.session.requests.entry(numbered: number) ?? listed
        return RequestDetail(request: request, viewModel: viewModel).document
    }
}
