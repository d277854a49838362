package import Lifecycle
import Timekeeping

/// Every exchange: which token it used and what came of it.
package enum RequestsPane: ListPane {
    package static let id = PaneID(rawValue: 3)
    package static let title = "Requests"
    package static let extent = PaneExtent(isHalf: false, minimum: 2, comfortable: 5, maximum: nil)
    package static let fields = ["status", "path", "method", "gen", "why"]
    package static let rowsAbove = 1

    package static func log(of session: SessionSnapshot) -> BoundedLog<LoggedRequest> {
        session.requests
    }

    package static func emptyText(_ scene: Scene) -> String { "nothing sent yet" }

    package static func notes(_ scene: Scene, columns: Int) -> [Line] {
        let counts = scene.session.requestCounts.exchanges
        let standing = standing(scene)
        let dot = Line(" · ", .dim)
        let sent = Line("\(CountFormatter.grouped(counts.sent)) sent", .dim)
        let style: Style = counts.unauthorized > 0 ? .warning : .dim
        let refused = Line("\(counts.unauthorized) × 401", style)
        var all = [sent, refused]
        let failed = [
            (counts.serverErrors, "× 5xx"), (counts.unanswered, "lost"), (counts.notSent, "unsent"),
        ]
        .filter { $0.0 > 0 }.map { Line("\(CountFormatter.grouped($0.0)) \($0.1)", .bad) }
        all += failed
        if let spread = LatencyFormatter.spread(of: scene.session.requestCounts.latencies) {
            all.append(Line(spread, .dim))
        }
        return [
            (all + [standing]).joined(by: dot),
            ([sent, refused] + failed + [standing]).joined(by: dot),
            ([refused] + failed + [standing]).joined(by: dot),
            [sent, refused, standing].joined(by: dot), standing,
        ]
    }

    package static func matches(_ request: LoggedRequest, _ filter: Filter) -> Bool {
        let record = request.record
        return filter.passes { term in
            let needle = term.needle
            switch term.field {
            case "status":
                guard let status = record.status else {
                    return needle.isIn(RequestText.status(record))
                }
                return needle.isStatus(status)
            case "path": return needle.isIn(record.target)
            case "method": return needle.isIn(record.method)
            case "gen": return needle.isNumber(record.generation)
            case "why": return needle.isIn(CauseText().text(record.why))
            default:
                return needle.isIn(record.target) || needle.isIn(record.method)
                    || needle.isIn(RequestText.status(record))
                    || needle.isIn(CauseText().text(record.why))
                    || needle.isNumber(record.id)
            }
        }
    }

    package static func heading(_ scene: Scene, columns: Int) -> [Line] {
        let table = RequestColumns(columns: columns)
        return [
            table.line(
                time: Line("time", .dim),
                number: Line("#", .dim),
                request: Line("request", .dim),
                status: Line("status", .dim),
                milliseconds: Line("ms", .dim),
                token: [Line("token", .dim)],
                why: Line("why", .dim),
                followed: [Line("what followed", .dim)]
            )
        ]
    }

    package static func line(_ request: LoggedRequest, _ scene: Scene, columns: Int) -> Line {
        let table = RequestColumns(columns: columns)
        let record = request.record
        let formatter = scene.clock.formatter
        let wall = request.startedAt.wall
        let followUp = scene.session.followUp(of: request)
        return table.line(
            time: Line(table.isWide ? formatter.timeWithMilliseconds(wall) : formatter.time(wall)),
            number: Line(String(record.id), .dim),
            request: RequestText.request(record, methodWidth: 4),
            status: Line(RequestText.status(record), RequestText.style(record)),
            milliseconds: Line(DurationFormatter.milliseconds(record.seconds)),
            token: RequestText.token(request, scene.generations),
            why: Line(CauseText().text(record.why), .dim),
            followed: followUp.map { FollowUpText.ways($0, of: request, scene) } ?? []
        )
    }

    package static func detail(_ scene: Scene, of number: Int?) -> Document? {
        guard let number else { return nil }
        guard let request = scene.session.requests.entry(numbered: number) else {
            return Document(title: "Request #\(number)", lines: ["no longer in the log"])
        }
        return RequestDetail(request: request, scene: scene).document
    }
}
