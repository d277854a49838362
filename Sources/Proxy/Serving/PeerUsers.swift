import Dispatch
import NIOCore
import Platform
import Synchronization

/// Finds the users behind connections within this machine, on a thread of its own.
///
/// One look at the system's table answers all questions that have come by then: a thousand connections
/// at once take two looks, and none waits for the others one after another.
final class PeerUsers: Sendable {
    private struct Question {
        let peer: (host: String, port: Int)
        let own: (host: String, port: Int)
        let user: EventLoopPromise<PeerUser>
    }

    private let waiting = Mutex<[Question]>([])
    private let queue = DispatchQueue(label: "users")

    /// Looks for the user of the program that has opened a connection.
    ///
    /// - Parameters:
    ///   - peer: The address and port of the program.
    ///   - own: Those that it is connected to.
    ///   - loop: Of the result.
    /// - Returns: The user; never fails.
    func user(
        from peer: (host: String, port: Int),
        to own: (host: String, port: Int),
        on loop: any EventLoop
    ) -> EventLoopFuture<PeerUser> {
        let question = Question(peer: peer, own: own, user: loop.makePromise())
        let isFirst = waiting.withLock { questions in
            questions.append(question)
            return questions.count == 1
        }
        if isFirst { queue.async { [self] in look() } }
        return question.user.futureResult
    }

    private func look() {
        // What is asked from now on is for the next look: its connection may not be in this one.
        let questions = waiting.withLock { questions in
            defer { questions = [] }
            return questions
        }
        let table = SocketTable.present
        for question in questions {
            let user = table.user(from: question.peer, to: question.own)
            question.user.succeed(user.map(PeerUser.user) ?? .unknown)
        }
    }

    /// Waits until no user is looked for any more.
    func settle() async {
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            queue.async { continuation.resume() }
        }
    }
}
