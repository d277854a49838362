import Model
import Synchronization
import Terminal
import UI

/// The items that have arrived since the last frame, taken together so that a burst costs one
/// frame.
final class Inbox: Sendable {
    enum Item: Sendable {
        case terminal(TerminalEvent)
        case session([SessionEvent])
        case frameDue
        case message(DashboardMessage)
        case ended(RunEnd)
    }

    private struct State {
        var items: [Item] = []
        /// Whether events are taken with the next frame, which is due, and do not ring.
        var holdsEvents = false
    }

    private let state = Mutex(State())
    private let bell: AsyncStream<Void>.Continuation
    /// A stream that yields once if there are any items.
    let rings: AsyncStream<Void>

    init() {
        (rings, bell) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    func put(_ item: Item) {
        put([item])
    }

    /// Adds items that are taken together.
    func put(_ new: [Item]) {
        state.withLock { $0.items += new }
        bell.yield()
    }

    /// Adds events, which ring unless they wait for a frame.
    func put(_ events: [SessionEvent]) {
        let rings = state.withLock { state in
            state.items.append(.session(events))
            return !state.holdsEvents
        }
        if rings { bell.yield() }
    }

    /// Lets further events wait until the items are taken.
    func holdEvents() {
        state.withLock { $0.holdsEvents = true }
    }

    func takeAll() -> [Item] {
        state.withLock { state in
            defer { state = State() }
            return state.items
        }
    }
}
