package import Lifecycle
import Timekeeping

/// The socket, and what comes in over it.
package enum FeedPane: ListPane {
    package static let id = PaneID(rawValue: 4)
    package static let title = "Feed"
    package static let extent = PaneExtent(isHalf: false, minimum: 2, comfortable: 5, maximum: nil)
    package static let fields = ["type", "id", "seq", "socket"]
    package static let rowsAbove = 1

    package static func log(of session: SessionSnapshot) -> BoundedLog<FeedLine> {
        session.feed.log
    }

    package static func emptyText(_ scene: Scene) -> String { "no message yet" }

    package static func notes(_ scene: Scene, columns: Int) -> [Line] {
        let feed = scene.session.feed.counts
        let standing = standing(scene)
        let dot = Line(" · ", .dim)
        let messages = Line(CountFormatter.count(feed.messages, "message"), .dim)
        let lost = Line("\(CountFormatter.grouped(feed.lost)) lost", feed.lost > 0 ? .bad : .dim)
        let twice = Line(CountFormatter.count(feed.duplicates, "duplicate"), .dim)
        let rate = Line("\(DurationFormatter.decimal(rate(scene), places: 1)) /s", .dim)
        return [
            [messages, lost, twice, rate, standing].joined(by: dot),
            [messages, lost, standing].joined(by: dot),
            standing,
        ]
    }

    package static func heading(_ scene: Scene, columns: Int) -> [Line] {
        let phrase = FeedSummary(of: scene)
        let isIdle = scene.session.feed.state == .idle
        let target = isIdle ? nil : scene.session.feed.target
        let parts = phrase.parts + [target].compactMap(\.self)
        let head = Line("\(phrase.symbol) ", phrase.style)
        let ways = (0..<parts.count).map { dropped in
            let kept = Array(parts.dropLast(dropped).enumerated())
            return head
                + kept.map { Line($0.element, $0.offset == 0 ? phrase.style : .plain) }
                .joined(by: Line(" · ", .dim))
        }
        return [Line.first(of: ways, fitting: columns)]
    }

    package static func line(_ line: FeedLine, _ scene: Scene, columns: Int) -> Line {
        FeedRow(line: line, scene: scene, columns: columns).row
    }

    package static func matches(_ line: FeedLine, _ filter: Filter) -> Bool {
        guard case .message(let message) = line.kind else {
            return filter.passes { term in
                switch term.field {
                case nil: term.needle.isIn(FeedRow.text(line.kind))
                case "socket": line.kind.sockets.contains { term.needle.isNumber($0) }
                default: false
                }
            }
        }
        return filter.passes { term in
            switch term.field {
            case "type": term.needle.isIn(message.type)
            case "id": term.needle.isIn(message.id)
            case "seq": message.seq.map(term.needle.isNumber) ?? false
            case "socket": term.needle.isNumber(message.socket)
            default: term.needle.isIn(message.excerpt) || term.needle.isIn(message.type)
            }
        }
    }

    package static func detail(_ scene: Scene, of number: Int?) -> Document? {
        guard let number else { return nil }
        guard let line = scene.session.feed.log.entry(numbered: number) else {
            return Document(title: "Feed line \(number)", lines: ["no longer in the log"])
        }
        return FeedDetail(line: line, scene: scene).document
    }

    /// Messages a second over the last ten.
    private static func rate(_ scene: Scene) -> Double {
        let now = scene.clock.shown.now
        let count = scene.session.feed.arrivals(after: now - .seconds(10), until: now)
        return Double(count) / 10
    }
}
