import Basics
import Model

/// One line of the feed's list.
struct FeedRow {
    let line: FeedLine
    let viewModel: ViewModel
    let columns: Int

    var row: Line { line(line.kind) }

    private var isWide: Bool { columns >= 90 }

    private var time: Line {
        let wall = line.at.wall
        let formatter = viewModel.clock.formatter
        let text = isWide ? formatter.timeWithMilliseconds(wall) : formatter.time(wall)
        return Line(text + "  ")
    }

    private func line(_ kind: FeedLine.Kind) -> Line {
        guard case .message(let message) = kind else {
            let style = Self.style(kind)
            if case .switched = kind {
                return time + Line("───── \(Self.text(kind)) ─────", style)
            }
            return time + Line("\(Self.symbol(kind)) \(text(kind))", style)
        }
        let number = message.seq.map { "#\($0)" } ?? message.id.map { "#\($0)" } ?? ""
        let style: Style = message.isDuplicate ? .dim : .plain
        let type = Line(message.type ?? "", message.isDuplicate ? .dim : .identity)
        let twice = message.isDuplicate ? "duplicate, dropped: " : ""
        return time + Line(number, .dim).fitted(to: isWide ? 7 : 6) + " "
            + type.fitted(to: columns >= 70 ? 16 : 12) + "  " + Line(twice + message.excerpt, style)
    }

    static func style(_ kind: FeedLine.Kind) -> Style {
        switch kind {
        case .opened: .good
        case .switched(_, _, _, let gap, _): gap > 0 ? .bad : .busy
        case .closed(_, let code, let by, _): by == .us && code == 1000 ? .dim : .warning
        case .refused, .failed: .warning
        case .stopped, .leaking, .missing: .bad
        case .message: .plain
        case .control: .dim
        }
    }

    static func symbol(_ kind: FeedLine.Kind) -> String {
        switch kind {
        case .opened: "●"
        case .switched: "→"
        case .closed: "○"
        case .refused, .failed: "⚠"
        case .stopped, .leaking, .missing: "✗"
        case .message: " "
        case .control: "·"
        }
    }

    private func text(_ kind: FeedLine.Kind) -> String {
        Self.text(kind, isStream: viewModel.hasEventStream, number: viewModel.number)
    }

    /// - Parameters:
    ///   - kind: What happened.
    ///   - isStream: Whether the feed is an event stream.
    ///   - number: Names a socket's generation.
    /// - Returns: One sentence.
    static func text(
        _ kind: FeedLine.Kind,
        isStream: Bool = false,
        number: (_ socket: Int, _ generation: Int) -> String = { String($1) }
    ) -> String {
        switch kind {
        case .opened(let socket, let generation, let after):
            return "socket \(socket) open on gen \(number(socket, generation)) after "
                + DurationFormatter.fine(after.inSeconds)
        case .switched(let from, let to, let duplicates, let gap, let after):
            return "socket \(from) → \(to) in \(DurationFormatter.fine(after.inSeconds))"
                + " · \(gap) lost · \(CountFormatter.count(duplicates, "duplicate"))"
        case .closed(let socket, let code, let by, _) where isStream:
            return "socket \(socket) \(StreamText.ended(code: code, by: by))"
        case .closed(let socket, let code, let by, let reason):
            let said = reason.isEmpty ? "" : ": \(reason)"
            return "socket \(socket) closed \(closer(by)) · \(code) "
                + "\(CloseCodeText.text(code))\(said)"
        case .refused(let socket, let status):
            return "socket \(socket) refused · \(UpgradeText.text(status))"
        case .failed(let socket, let why):
            return "socket \(socket) failed · \(CauseText().text(why))"
        case .stopped(let why) where isStream: return "stopped · \(StreamText.text(stopping: why))"
        case .stopped(let why): return "stopped · \(CauseText().text(stopping: why))"
        case .leaking(let socket): return "socket \(socket) still receives after logout"
        case .message: return ""
        case .missing(let socket, let after, let before):
            return "socket \(socket): \(missing(after: after, before: before))"
        case .control(_, let type, let excerpt):
            return "control frame\(type.map { " \($0)" } ?? "") · \(excerpt)"
        }
    }

    /// Says how many are missing, and which: `2 messages missing, 4 to 5`.
    static func missing(after: Int64, before: Int64) -> String {
        let count = FeedGap.count(after: after, before: before)
        let numbers = count == 1 ? "\(after &+ 1)" : "\(after &+ 1) to \(before &- 1)"
        return "\(CountFormatter.count(count, "message")) missing, \(numbers)"
    }

    private static func closer(_ closer: FeedCloser) -> String {
        switch closer {
        case .us: "by us"
        case .peer: "by the server"
        case .transport: "by the network"
        }
    }
}

extension FeedLine.Kind {
    /// The sockets that the line is about.
    var sockets: [Int] {
        switch self {
        case .opened(let socket, _, _), .closed(let socket, _, _, _), .refused(let socket, _),
            .failed(let socket, _), .leaking(let socket), .missing(let socket, _, _),
            .control(let socket, _, _):
            [socket]
        case .switched(let old, let new, _, _, _): [old, new]
        case .message(let message): [message.socket]
        case .stopped: []
        }
    }
}
