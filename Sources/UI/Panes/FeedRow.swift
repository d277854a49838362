import Basics
import Model

/// One line of the feed's list.
struct FeedRow {
    let line: FeedLine
    let viewModel: ViewModel
    let columns: Int

    var row: Line { line(line.event) }

    private var isWide: Bool { columns >= 90 }

    private var time: Line {
        let wall = line.at.wall
        let formatter = viewModel.clock.formatter
        let text = isWide ? formatter.timeWithMilliseconds(wall) : formatter.time(wall)
        return Line(text + "  ")
    }

    private func line(_ event: FeedLine.Event) -> Line {
        guard case .message(let message) = event else {
            let style = Self.style(event)
            if case .switched = event {
                return time + Line("───── \(Self.text(event)) ─────", style)
            }
            return time + Line("\(Self.symbol(event)) \(text(event))", style)
        }
        let number = message.seq.map { "#\($0)" } ?? message.id.map { "#\($0)" } ?? ""
        let style: Style = message.isDuplicate ? .dim : .plain
        let type = Line(message.type ?? "", message.isDuplicate ? .dim : .identity)
        let twice = message.isDuplicate ? "duplicate, dropped: " : ""
        return time + Line(number, .dim).fitted(to: isWide ? 7 : 6) + " "
            + type.fitted(to: columns >= 70 ? 16 : 12) + "  " + Line(twice + message.excerpt, style)
    }

    static func style(_ event: FeedLine.Event) -> Style {
        switch event {
        case .opened: .good
        case .switched(let switched): switched.gap > 0 ? .bad : .busy
        case .closed(let closed): closed.by == .us && closed.code == 1000 ? .dim : .warning
        case .refused, .failed: .warning
        case .stopped, .leaking, .missing: .bad
        case .message: .plain
        case .control: .dim
        }
    }

    static func symbol(_ event: FeedLine.Event) -> String {
        switch event {
        case .opened: "●"
        case .switched: "→"
        case .closed: "○"
        case .refused, .failed: "⚠"
        case .stopped, .leaking, .missing: "✗"
        case .message: " "
        case .control: "·"
        }
    }

    private func text(_ event: FeedLine.Event) -> String {
        Self.text(event, isStream: viewModel.hasEventStream, number: viewModel.number)
    }

    /// - Parameters:
    ///   - event: The event.
    ///   - isStream: Whether the feed is an event stream.
    ///   - number: Names a socket's generation.
    /// - Returns: One sentence.
    static func text(
        _ event: FeedLine.Event,
        isStream: Bool = false,
        number: (_ socket: Int, _ generation: Int) -> String = { String($1) }
    ) -> String {
        switch event {
        case .opened(let opened):
            return "socket \(opened.socket) open on gen "
                + "\(number(opened.socket, opened.generation)) after "
                + DurationFormatter.fine(opened.after.inSeconds)
        case .switched(let switched):
            return "socket \(switched.from) → \(switched.to) in "
                + DurationFormatter.fine(switched.after.inSeconds) + " · \(switched.gap) lost · "
                + CountFormatter.count(switched.duplicates, "duplicate")
        case .closed(let closed) where isStream:
            return "socket \(closed.socket) \(StreamText.ended(code: closed.code, by: closed.by))"
        case .closed(let closed):
            let said = closed.reason.isEmpty ? "" : ": \(closed.reason)"
            return "socket \(closed.socket) closed \(closer(closed.by)) · \(closed.code) "
                + "\(CloseCodeText.text(closed.code))\(said)"
        case .refused(let refused):
            let said = refused.serverWords.map { " · \(RefusalText.quoted($0))" } ?? ""
            return "socket \(refused.socket) refused · \(UpgradeText.text(refused.status))\(said)"
        case .failed(let failed):
            return "socket \(failed.socket) failed · \(CauseText().text(failed.why))"
        case .stopped(let why) where isStream: return "stopped · \(StreamText.text(stopping: why))"
        case .stopped(let why): return "stopped · \(CauseText().text(stopping: why))"
        case .leaking(let leaking):
            return "socket \(leaking.socket) still receives after logout"
        case .message: return ""
        case .missing(let gap):
            return "socket \(gap.socket): \(missing(after: gap.after, before: gap.before))"
        case .control(let frame):
            return "control frame\(frame.type.map { " \($0)" } ?? "") · \(frame.excerpt)"
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

extension FeedLine.Event {
    /// The sockets that the line is about.
    var sockets: [Int] {
        switch self {
        case .opened(let opened): [opened.socket]
        case .switched(let switched): [switched.from, switched.to]
        case .closed(let closed): [closed.socket]
        case .refused(let refused): [refused.socket]
        case .failed(let failed): [failed.socket]
        case .message(let message): [message.socket]
        case .missing(let gap): [gap.socket]
        case .control(let frame): [frame.socket]
        case .stopped: []
        case .leaking(let leaking): [leaking.socket]
        }
    }
}
