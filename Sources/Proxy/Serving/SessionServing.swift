package import Basics
package import Profiles
import Synchronization

/// The session whose token the requests of apps are sent with.
package protocol SessionServing: Sendable {
    /// Decides on a request; may wait for a renewal.
    ///
    /// - Parameters:
    ///   - request: The head of the app's request, with its target below the base URL.
    ///   - refused: The fields that it was sent with, and the answer that refused them, if it was sent.
    /// - Returns: The fields to send it with, or the reason not to send it.
    func fields(for request: WireRequest, after refused: AnsweredFields?) async -> ServingDecision

    /// Whether an answer refuses the token, or the proof, that a request was sent with, as far as its
    /// head tells; `nil` if the rest of it decides.
    ///
    /// Called on the event loop for each final answer, so it must be quick and never block.
    func isRefusal(byHeadOf response: WireResponse, of fields: SessionFields) -> Bool?

    /// Whether an answer refuses the token by its body, or by where it redirects to.
    ///
    /// Called on the event loop for answers whose heads do not tell.
    ///
    /// - Parameters:
    ///   - response: The answer with all of its body, without a coding, and with its trailers.
    ///   - request: The request as the backend got it.
    /// - Returns: Whether it refuses the token.
    func isRefusal(_ response: WireResponse, to request: WireRequest) -> Bool

    /// Receives the answer to a request that was sent again; called on the event loop.
    ///
    /// - Parameters:
    ///   - request: The head of the app's request.
    ///   - answer: What the request was sent with, and the head of its answer.
    ///   - number: The number of the request that it repeats, as `fields(for:after:)` returned it.
    ///   - isRefused: Whether it is refused again.
    func answered(
        _ request: WireRequest,
        _ answer: AnsweredFields,
        repeating number: Int,
        isRefused: Bool
    )

    /// Receives a notice for the user; called on the event loop.
    func notify(_ notice: ServingNotice)
}

extension SessionServing {
    package func answered(
        _ request: WireRequest,
        _ answer: AnsweredFields,
        repeating number: Int,
        isRefused: Bool
    ) {}
}

/// The fields that a request was sent with, and its answer, without the body.
package struct AnsweredFields: Sendable {
    package let fields: SessionFields
    package let response: WireResponse
    /// When the request was sent.
    package let sentAt: Moment
}

/// The decision on a request of an app.
package enum ServingDecision: Sendable {
    /// `repeating`: the number of the request that was refused, or `nil` if it has none.
    case send(SessionFields, repeating: Int? = nil)
    /// There is no token for it; the reason is a sentence for the user of the app.
    case withhold(status: Int, message: String)
}

/// A notice for the user about the requests of apps, without a secret.
package enum ServingNotice: Sendable, Hashable {
    /// A request has got its answer.
    case served
    /// A request was sent once more after a refusal.
    case repeated
    /// A request was not sent once more after a refusal: its body was longer than what is kept.
    case notRepeated(method: String, path: String)
    /// The app's own field was replaced.
    case replaced(name: String)
    /// A request was refused, with the reason.
    case refused(String)
}

/// The serving of a session: who may use it, and how.
package struct Serving: Sendable {
    package let session: any SessionServing
    package let rules: ServingRules
    /// Finds the users behind connections.
    let users = PeerUsers()
    /// The questions for requests that the session has not answered yet.
    let questions = PendingQuestions()

    package init(_ session: any SessionServing, rules: ServingRules) {
        self.session = session
        self.rules = rules
    }
}

extension Serving {
    /// Waits until nothing is looked for, or asked, any more.
    func settle() async {
        await users.settle()
        await questions.cancelAll()
    }
}

/// Questions that are being answered; their number is that of the requests that wait.
final class PendingQuestions: Sendable {
    private let state = Mutex((last: 0, tasks: [Int: Task<Void, Never>]()))

    func ask(_ question: @escaping @Sendable () async -> Void) {
        state.withLock { state in
            state.last += 1
            let number = state.last
            state.tasks[number] = Task { [self] in
                await question()
                self.state.withLock { $0.tasks[number] = nil }
            }
        }
    }

    /// Cancels all, and waits for their ends.
    func cancelAll() async {
        let tasks = state.withLock { Array($0.tasks.values) }
        for task in tasks { task.cancel() }
        for task in tasks { await task.value }
    }
}
