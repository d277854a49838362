import Basics
import Model

/// The summary of the feed's state.
struct FeedSummary: Sendable, Equatable {
    var symbol: String
    var style: Style
    var parts: [String]

    private init(_ symbol: String, _ style: Style, _ parts: [String?]) {
        self.symbol = symbol
        self.style = style
        self.parts = parts.compactMap(\.self)
    }

    init(of viewModel: ViewModel) {
        let clock = viewModel.clock
        switch viewModel.session.feed.state {
        case .idle:
            let hasFeed = viewModel.session.capabilities?.hasFeed ?? true
            self.init("○", .dim, [hasFeed ? "no feed" : "this backend has no feed"])
        case .dialing(let socket, let generation):
            self.init("◌", .busy, ["dialing", Self.socket(socket, generation, viewModel)])
        case .open(let socket, let generation, let since):
            let age = Self.counting(clock.passed(since: clock.shown.with(now: since)))
            let ping = viewModel.session.feed.lastPing.map(\.inSeconds).map(DurationFormatter.fine)
            let name = Self.socket(socket, generation, viewModel)
            if viewModel.hasEventStream {
                let quiet = Self.quiet(viewModel)
                let style = quiet == nil ? Style.good : .dim
                self.init("●", style, ["open \(age)", "SSE", quiet, name])
            } else if let silence = Self.silence(viewModel) {
                self.init("◑", .warning, ["open \(age)", silence, name])
            } else {
                self.init("●", .good, ["open \(age)", name, ping.map { "ping \($0)" }])
            }
        case .rotating(let old, let new, let generation):
            let to = "socket \(old) → \(new)"
            self.init(
                "◐",
                .busy,
                [
                    "switching", to,
                    "to generation \(viewModel.number(ofSocket: new, generation: generation))",
                ]
            )
        case .backoff(let attempt, let nextAt, let why):
            let next = clock.inTime(nextAt)
            self.init(
                "◑",
                .warning,
                [
                    "down: \(viewModel.hasEventStream ? StreamText.text(why) : CauseText().text(why))",
                    "try \(attempt + 1) \(next)",
                ]
            )
        case .refused(let status, let nextAt):
            let next = clock.inTime(nextAt)
            guard case .draining = viewModel.session.state else {
                let text =
                    FeedPolicy.namesToken(status)
                    ? "refused with a fresh token (\(status))"
                    : "closed at once with a fresh token, too (\(status))"
                self.init("✗", .bad, [text, "asked again \(next)", "the session is untouched"])
                return
            }
            let text = FeedPolicy.namesToken(status) ? "refused" : "closed at once"
            self.init("✗", .bad, ["\(text) (\(status))", "the session ends"])
        case .stopped(let why):
            let next =
                viewModel.isReadOnly ? nil : "\(viewModel.keys.name(of: .renew)) dials again"
            let text =
                viewModel.hasEventStream
                ? StreamText.text(stopping: why) : CauseText().text(stopping: why)
            self.init("✗", .bad, ["stopped: \(text)", next])
        }
    }

    /// A socket is asked for a sign of life every 20 s: what is silent for longer has not answered.
    private static func silence(_ viewModel: ViewModel) -> String? {
        guard let heardAt = viewModel.session.feed.heardAt else { return nil }
        let seconds = viewModel.clock.passed(since: heardAt)
        return seconds > longestQuiet ? "silent \(counting(seconds)), not even a pong" : nil
    }

    /// Nothing answers on an event stream: that it is silent means nothing by itself.
    private static func quiet(_ viewModel: ViewModel) -> String? {
        guard let heardAt = viewModel.session.feed.heardAt else { return nil }
        let seconds = viewModel.clock.passed(since: heardAt)
        return seconds > longestQuiet ? "no event for \(counting(seconds))" : nil
    }

    /// In seconds.
    private static let longestQuiet = 21.0

    private static func counting(_ seconds: Double) -> String {
        DurationFormatter.counting(seconds)
    }

    /// Which token it uses, and whether that is the session's present one.
    private static func socket(_ socket: Int, _ generation: Int, _ viewModel: ViewModel) -> String {
        let number = viewModel.number(ofSocket: socket, generation: generation)
        let text = "socket \(socket) on generation \(number)"
        guard viewModel.session.current != nil else { return text }
        let session = viewModel.session
        let present = viewModel.generations.number(session.generation, login: session.login)
        return number == present
            ? "\(text) (the session's)" : "\(text) (the session has \(present))"
    }
}
