import Synchronization
import Terminal

/// The items that have arrived since the last frame, taken together so that a burst costs one
/// frame.
final class Inbox<Input: Sendable>: Sendable {
    enum Item: Sendable {
        case terminal(TerminalEvent)
        case input(Input)
    }

    private struct State {
        var items: [Item] = []
        /// Whether a frame shows them at once.
        var isUrgent = false
        /// Whether what is not urgent is taken with the next frame, which is due, and does not ring.
        var isHeld = false
    }

    private let state = Mutex(State())
    private let bell: AsyncStream<Void>.Continuation
    /// A stream that yields once if there is anything.
    let rings: AsyncStream<Void>

    init() {
        (rings, bell) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    func put(_ input: Input, isUrgent: Bool = true) {
        put([.input(input)], isUrgent: isUrgent)
    }

    /// Adds what was read together.
    func put(_ events: [TerminalEvent]) {
        put(events.map { .terminal($0) }, isUrgent: true)
    }

    /// Asks for a frame.
    func requestFrame() {
        put([], isUrgent: true)
    }

    private func put(_ items: [Item], isUrgent: Bool) {
        let rings = state.withLock { state in
            state.items += items
            if isUrgent { state.isUrgent = true }
            return isUrgent || !state.isHeld
        }
        if rings { bell.yield() }
    }

    /// Lets further inputs that are not urgent wait until the items are taken.
    func hold() {
        state.withLock { $0.isHeld = true }
    }

    func takeAll() -> (items: [Item], isUrgent: Bool) {
        state.withLock { state in
            defer { state = State() }
            return (state.items, state.isUrgent)
        }
    }
}
