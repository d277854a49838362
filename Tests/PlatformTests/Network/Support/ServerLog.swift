import Synchronization

/// The observations of a scripted server.
final class ServerLog: Sendable {
    private struct State {
        var connections = 0
        var ended = 0
        var events: [Int: [String]] = [:]
        var beginnings: [String] = []
        var requests: [String] = []
        var waiters: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []

        mutating func takeSatisfied() -> [CheckedContinuation<Void, Never>] {
            let count = requests.count
            let satisfied = waiters.filter { $0.count <= count }.map(\.continuation)
            waiters.removeAll { $0.count <= count }
            return satisfied
        }
    }

    private let state = Mutex(State())

    var connections: Int { state.withLock { $0.connections } }

    var beginnings: [String] { state.withLock { $0.beginnings } }

    var requests: [String] { state.withLock { $0.requests } }

    /// Those that have ended.
    var ended: Int { state.withLock { $0.ended } }

    /// The number of the new connection, from 1.
    func connected() -> Int {
        state.withLock { state in
            state.connections += 1
            return state.connections
        }
    }

    /// Records an event on an open connection.
    func record(_ event: String, on connection: Int) {
        state.withLock { state in
            let count = state.events[connection]?.count ?? 0
            if count < 20 { state.events[connection, default: []].append(event) }
        }
    }

    /// The first events on the connections that are open, a line each.
    var openConnections: String {
        state.withLock { state in
            state.events.keys.sorted().map { number in
                "\(number): \(state.events[number, default: []].joined(separator: ", "))"
            }
        }
        .joined(separator: "\n")
    }

    /// - Parameter connection: Its number, if its events were recorded.
    func disconnected(_ connection: Int? = nil) {
        if let connection { state.withLock { $0.events[connection] = nil } }
        state.withLock { $0.ended += 1 }
    }

    func began(_ text: String) {
        state.withLock { $0.beginnings.append(text) }
    }

    func read(_ request: String) {
        let satisfied = state.withLock { state in
            state.requests.append(request)
            return state.takeSatisfied()
        }
        for waiter in satisfied { waiter.resume() }
    }

    func waitForRequests(_ count: Int) async {
        await withCheckedContinuation { continuation in
            let satisfied = state.withLock { state in
                state.waiters.append((count, continuation))
                return state.takeSatisfied()
            }
            for waiter in satisfied { waiter.resume() }
        }
    }
}
