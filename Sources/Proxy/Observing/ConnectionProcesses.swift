import Dispatch
package import Model
import Observer
package import Platform
import Synchronization

/// Finds the processes behind an app's connections on a thread of its own, for which no traffic waits.
package final class ConnectionProcesses: ConnectionNaming {
    /// An address and a port.
    typealias End = (host: String, port: Int)

    /// The connections that are looked for at the same time; beyond it, they stay without a process.
    private static let pendingLimit = 256
    /// The newest connections whose processes are kept.
    private static let limit = 4_096
    /// The time that a reader waits for what is looked for.
    private static let timeout = DispatchTimeInterval.milliseconds(20)

    private struct Search: Sendable {
        let connection: Int
        let peer: End
        let own: End
    }

    private struct State {
        /// Those that wait for the one who looks, if one does.
        var waiting: [Search] = []
        /// Those that wait, and those that are looked for.
        var pending = 0
        var isSearching = false
        var found: [Int: ClientProcess] = [:]
        var isWaiting: CheckedContinuation<Void, Never>?
    }

    private let state = Mutex(State())
    private let lookup: Mutex<(finder: ProcessFinder, clients: ProcessClients)>
    private let queue = DispatchQueue(label: "processes")

    package init(_ finder: ProcessFinder = ProcessFinder()) {
        lookup = Mutex((finder, ProcessClients()))
    }

    /// Begins to look for the process that has opened a connection; returns at once.
    func opened(_ connection: Int, from peer: End, to own: End) {
        guard peer.host == own.host else { return }
        let begins = state.withLock { state in
            guard state.pending < Self.pendingLimit else { return false }
            state.pending += 1
            state.waiting.append(Search(connection: connection, peer: peer, own: own))
            defer { state.isSearching = true }
            return !state.isSearching
        }
        if begins { queue.async { [self] in search() } }
    }

    /// Looks for all that wait in one table of the sockets, which may be a list that takes long to read.
    private func search() {
        while true {
            let searches = state.withLock { state in
                defer { state.waiting = [] }
                if state.waiting.isEmpty { state.isSearching = false }
                return state.waiting
            }
            guard !searches.isEmpty else { return }
            let processes = lookup.withLock { lookup in
                let sockets = SocketTable.present
                return searches.map { search -> ClientProcess? in
                    guard
                        let found = lookup.finder.process(
                            from: search.peer,
                            to: search.own,
                            in: sockets
                        )
                    else { return nil }
                    return lookup.clients.client(of: found, isRunning: lookup.finder.isRunning)
                }
            }
            for (search, process) in zip(searches, processes) {
                found(process, of: search.connection)
            }
        }
    }

    private func found(_ process: ClientProcess?, of connection: Int) {
        let waiting = state.withLock { state -> CheckedContinuation<Void, Never>? in
            state.pending -= 1
            state.found[connection] = process
            state.found[connection - Self.limit] = nil
            return state.pending == 0 ? state.isWaiting.take() : nil
        }
        waiting?.resume()
    }

    package func process(of connection: Int) -> ClientProcess? {
        state.withLock { $0.found[connection] }
    }

    package func settle() async {
        await withCheckedContinuation { continuation in
            let isDue = state.withLock { state in
                guard state.pending > 0, state.isWaiting == nil else { return true }
                state.isWaiting = continuation
                return false
            }
            guard !isDue else { return continuation.resume() }
            DispatchQueue.global().asyncAfter(deadline: .now() + Self.timeout) { [self] in
                state.withLock { $0.isWaiting.take() }?.resume()
            }
        }
    }
}

/// The clients that processes are: one that was started after another of its name has ended takes its
/// place, as each call of a command-line tool does.
struct ProcessClients {
    private static let limit = 256

    private var known: [(process: FoundProcess, client: ClientProcess)] = []

    /// Returns the client that a process is.
    mutating func client(
        of process: FoundProcess,
        isRunning: (FoundProcess) -> Bool
    ) -> ClientProcess {
        let place =
            known.firstIndex { $0.process == process }
            ?? known.lastIndex { $0.process.name == process.name && !isRunning($0.process) }
        let client =
            place.map { known.remove(at: $0).client }
            ?? ClientProcess(name: process.name, id: process.id)
        known = known.suffix(Self.limit - 1) + [(process, client)]
        return client
    }
}
