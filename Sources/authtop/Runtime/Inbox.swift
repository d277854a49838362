import Dashboard
import Lifecycle
import Synchronization
import Terminal

/// The items that have arrived since the last frame, taken together so that a burst costs one
/// frame.
final class Inbox: Sendable {
    enum Item: Sendable {
        case terminal(TerminalEvent)
        case session(SessionEvent)
        case frameDue
        case message(DashboardMessage)
        case ended(RunEnd)
    }

    private let items = Mutex<[Item]>([])
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
        items.withLock { $0 += new }
        bell.yield()
    }

    func takeAll() -> [Item] {
        items.withLock { items in
            defer { items = [] }
            return items
        }
    }
}
