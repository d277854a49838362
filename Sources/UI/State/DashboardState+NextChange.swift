package import Basics
import FoundationEssentials
import Model

extension DashboardState {
    /// A little after the second turns, so that the timer does not fire early.
    private static let margin = 0.001

    /// Returns when the screen changes without input: at the next second of the clock, or when a
    /// deadline passes.
    ///
    /// - Returns: `nil` on a screen that is too small to show anything that changes.
    package func nextChange(after now: Moment) -> Instant? {
        if let lock { return lock.opensAgainAt.flatMap { $0 > now.now ? turn(after: now) : nil } }
        guard columns >= ScreenLayout.smallestColumns, rows >= ScreenLayout.smallestRows else {
            return locksAt
        }
        let column = columnTurn(after: now)
        return (crossings + [column].compactMap(\.self)).filter { $0 > now.now }
            .reduce(turn(after: now), min)
    }

    /// When the next second turns.
    private func turn(after now: Moment) -> Instant {
        let seconds = now.wall.timeIntervalSince1970
        return now.now.advanced(bySeconds: seconds.rounded(.down) + 1 + Self.margin - seconds)
    }

    /// Instants at which words or colors change between two seconds; of very many sessions only those
    /// of the selected one.
    private var crossings: [Instant] {
        (hasGlances ? [selected] : sessions).flatMap(\.digest.crossings)
            + [notice?.until, locksAt].compactMap(\.self)
    }

    /// When the lifeline moves by a column, or `nil` if it does not, or only when a second turns.
    private func columnTurn(after now: Moment) -> Instant? {
        let viewModel = viewModel(at: now)
        guard viewModel.lifeline.isFollowing, !session.generations.isEmpty,
            // Its columns take longer where it has fewer: the layout is seldom needed.
            LifelinePane.window(viewModel, columns: columns).seconds < 1,
            let placement = currentLayout?.placement(of: LifelinePane.id)
        else { return nil }
        let window = LifelinePane.window(viewModel, columns: placement.columns)
        return window.seconds < 1 ? window.nextColumn.advanced(bySeconds: Self.margin) : nil
    }

    func crossings(of session: SessionSnapshot) -> [Instant] {
        let pair = session.current?.pair
        return [
            session.authorization?.expiresAt, session.renewalPlan?.renewsAt, session.usableUntil,
            session.drainsAt,
            session.flags.breakerOpenUntil, pair?.accessExpiry?.statedEnd,
            pair?.refreshExpiry?.at, pair?.refreshExpiry?.statedEnd, pair?.sessionEnd,
        ].compactMap(\.self)
    }
}
