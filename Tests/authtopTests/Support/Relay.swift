import Foundation
import Glibc
import Synchronization
import TestSupport

/// A TCP relay between a client and a sandbox, which loses what it is told to lose.
final class Relay: Stoppable {
    /// The disruption of the next request of a path.
    enum Disruption: Sendable {
        /// It reaches the server, and the connection ends before the answer is back.
        case answerLost
        /// The server never sees it: this is the answer.
        case answered(String)
    }

    fileprivate struct State {
        var isRefusing = false
        /// The loop's reaction to that.
        var isListening = true
        var isOver = false
        var disruptions: [(path: String, disruption: Disruption)] = []
        var requests: [HTTPMessage] = []
        var answers: [HTTPMessage] = []
    }

    let port: Int
    private let serverPort: Int
    private let state = Mutex(State())
    private let ended = Mutex(false)

    init(to serverPort: Int) throws {
        self.serverPort = serverPort
        let socket = try LoopbackSocket.bind()
        port = LoopbackSocket.port(of: socket)
        listen(socket, 128)
        Thread.detachNewThread { [self] in
            var loop = RelayLoop(relay: self, listener: socket)
            loop.run()
            ended.withLock { $0 = true }
        }
    }

    /// Ends every connection, and takes no new one: no client gets through once it returns.
    func refuse() async throws {
        change { $0.isRefusing = true }
        try await eventually("the relay to refuse") { state.withLock { !$0.isListening } }
    }

    /// Takes connections again, once it returns.
    func accept() async throws {
        change { $0.isRefusing = false }
        try await eventually("the relay to accept") { state.withLock { $0.isListening } }
    }

    /// Prepares a failure of the next request whose path ends so.
    func prepare(_ disruption: Disruption, for path: String) {
        change { $0.disruptions.append((path, disruption)) }
    }

    /// Every request that came from the client, in order.
    var requests: [HTTPMessage] { state.withLock { $0.requests } }
    /// Every answer that came from the server, whether or not the client got it.
    var answers: [HTTPMessage] { state.withLock { $0.answers } }

    func requests(to path: String) -> [HTTPMessage] {
        requests.filter { $0.path.hasSuffix(path) }
    }

    func stop() async {
        change { $0.isOver = true }
        _ = try? await eventually("the end of the relay") { ended.withLock { $0 } }
    }

    private func change(_ body: (inout State) -> Void) {
        state.withLock { body(&$0) }
    }
}

/// For the loop.
extension Relay {
    var isRefusing: Bool { state.withLock { $0.isRefusing } }
    var isOver: Bool { state.withLock { $0.isOver } }

    func record(isListening: Bool) { state.withLock { $0.isListening = isListening } }

    func connectToServer() -> Int32? { try? LoopbackSocket.connect(to: serverPort) }

    func record(answer: HTTPMessage) { state.withLock { $0.answers.append(answer) } }

    /// Writes a request down, and tells what is to happen to it.
    func record(request: HTTPMessage) -> Disruption? {
        state.withLock { state in
            state.requests.append(request)
            let index = state.disruptions.firstIndex { request.path.hasSuffix($0.path) }
            return index.map { state.disruptions.remove(at: $0).disruption }
        }
    }
}

extension Bench {
    func relay(to sandbox: Sandbox) throws -> Relay { keep(try Relay(to: sandbox.port)) }
}
