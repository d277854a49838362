import Client
import Model
import Simulation

/// 7 and 25: the feed gets tokens of the session that is held, and events of the feed do not end
/// the session.
struct FeedOrderCheck {
    private var forced = PerProcess<(family: String, generation: Int)>()
    private(set) var orders = 0
    private(set) var rejections = 0

    private mutating func given(_ step: Step) -> InvariantViolation.Finding? {
        guard let token = step.after.feedToken, token != step.before.feedToken else { return nil }
        orders += 1
        guard step.after.held?.generation != token.generation else { return nil }
        return InvariantViolation.Finding(
            .noResurrection,
            "the feed is given a token of no held session"
        )
    }

    mutating func handled(_ step: Step) -> InvariantViolation.Finding? {
        if let finding = given(step) { return finding }
        guard step.input.isFeed, step.before.state.isLive else { return nil }
        rejections += step.input.isRefusal ? 1 : 0
        // If a login replaces a refresh, a refusal leads to a login.
        guard step.after.state.isLive || step.after.state == .signingIn else {
            return InvariantViolation.Finding(.separation, "an event of the feed ended the session")
        }
        guard step.effects.contains(where: \.isLock), let held = step.before.held else {
            return nil
        }
        if let last = forced[step.process],
            last.family == held.family && last.generation == held.generation
        {
            return InvariantViolation.Finding(
                .separation,
                "the feed forces a second renewal of generation \(held.generation)"
            )
        }
        forced[step.process] = (held.family, held.generation)
        return nil
    }

    mutating func died(_ process: Int) {
        forced[process] = nil
    }
}

extension SessionInput {
    fileprivate var isFeed: Bool { if case .feed = self { true } else { false } }

    /// Whether the backend refuses a dial, or ends a socket.
    fileprivate var isRefusal: Bool {
        switch self {
        case .feed(.refused): true
        case .feed(.closed(_, _, by: .peer, _)): true
        default: false
        }
    }
}
