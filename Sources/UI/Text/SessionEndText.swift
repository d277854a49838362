import Basics
import Model

/// The end of a session by its longest life.
enum SessionEndText {
    /// The last seconds of a session, in which the user is warned.
    private static let warning = 3600.0

    static func style(_ end: Instant, _ pair: PairDescription, _ viewModel: ViewModel) -> Style {
        pair.endsByAge && viewModel.clock.left(until: end) < warning ? .warning : .plain
    }

    /// `log in by 20:01: the session reaches its longest life`, in its last hour.
    static func problem(_ viewModel: ViewModel) -> Line? {
        guard viewModel.session.state.isLive, let pair = viewModel.session.current?.pair,
            pair.endsByAge,
            let end = pair.sessionEnd, viewModel.clock.left(until: end) < warning
        else { return nil }
        let when = viewModel.clock.when(end)
        return viewModel.clock.isOver(end)
            ? Line("⚠ at its longest life since \(when)", .warning)
            : Line("⚠ log in by \(when): the session reaches its longest life", .warning)
    }
}
