import Basics
import Synchronization

@testable import Profiles
@testable import Proxy

/// A session whose tokens are numbered, and of which those up to a number are refused.
final class NumberedSession: SessionServing {
    struct State {
        var token = 1
        var notices: [ServingNotice] = []
        var asked = 0
    }

    private static let dialect = Dialect.builtIn(named: "oauth2")

    let state = Mutex(State())
    let isEnded: Bool
    /// Answers no question before it is opened.
    let gate = Gate()

    init(isEnded: Bool = false) { self.isEnded = isEnded }

    func fields(for request: WireRequest, after refused: AnsweredFields?) async
        -> ServingDecision
    {
        state.withLock { $0.asked += 1 }
        await gate.pass()
        guard !isEnded else { return .withhold(status: 401, message: "signed out") }
        return state.withLock { state in
            if let refused, refused.fields == .bearer("\(state.token)") { state.token += 1 }
            return .send(.bearer("\(state.token)"))
        }
    }

    func isRefusal(byHeadOf response: WireResponse, of fields: SessionFields) -> Bool? {
        guard let dialect = Self.dialect else { return false }
        return dialect.decideProtected(byHeadOf: response).map { $0.meaning == .tokenRejected }
    }

    func isRefusal(_ response: WireResponse, to request: WireRequest) -> Bool {
        Self.dialect?.readProtected(response, to: request) == .tokenRejected
    }

    func notify(_ notice: ServingNotice) { state.withLock { $0.notices.append(notice) } }

    var notices: [ServingNotice] { state.withLock { $0.notices } }

    /// How often it was asked for a token.
    var asked: Int { state.withLock { $0.asked } }

    /// A proxy that serves it.
    func configuration(rules: ServingRules) -> ProxyConfiguration {
        var configuration = ProxyConfiguration()
        configuration.serving = Serving(self, rules: rules)
        return configuration
    }
}

/// Lets nobody pass until it is opened; open from the start unless it is closed.
final class Gate: Sendable {
    private let state = Mutex((isOpen: true, waiting: [CheckedContinuation<Void, Never>]()))

    func close() { state.withLock { $0.isOpen = false } }

    func open() {
        let waiting = state.withLock { state in
            defer { state = (true, []) }
            return state.waiting
        }
        for one in waiting { one.resume() }
    }

    func pass() async {
        await withCheckedContinuation { continuation in
            let isOpen = state.withLock { state in
                if !state.isOpen { state.waiting.append(continuation) }
                return state.isOpen
            }
            if isOpen { continuation.resume() }
        }
    }
}
