import Client
import Model
import Profiles

/// The description of a step in the narrative.
enum StepText {
    static func text(_ input: SessionInput, _ before: MachineView, _ after: MachineView) -> String {
        let name = name(input)
        let isSameState = before.state.name == after.state.name
        guard !isSameState || before.held?.generation != after.held?.generation else {
            return "\(name) (\(after.state.name))"
        }
        let generation = after.held.map { " generation \($0.generation)" } ?? ""
        return "\(name): \(before.state.name) → \(after.state.name)\(generation)"
    }

    private static func name(_ input: SessionInput) -> String {
        switch input {
        case .start: "start"
        case .tick: "tick"
        case .logIn: "o: log in"
        case .cancelLogIn: "Esc: cancel the login"
        case .authorizationPushed: "the server has the parameters of the login"
        case .authorizationPrompted: "the browser is opened"
        case .authorizationStrayed: "a redirect of another login"
        case .authorizationEnded: "the browser is done"
        case .deviceAuthorized: "a code for another device"
        case .logOut(let scope): scope == .this ? "l: log out" : "L: log out everywhere"
        case .refreshNow: "r: renew now"
        case .setPaused(let extent, _): extent.map { "pause \($0.rawValue)" } ?? "go on"
        case .tryVault: "u: unlock"
        case .experiment(let experiment): "experiment \(experiment.name)"
        case .clockShifted(let seconds): "the program's clock is shifted by \(seconds) s"
        case .faultsObserved: "the faults of the sandbox are observed"
        case .profileEdited: "the profile is edited"
        case .introspect: "I: ask the server"
        case .questionEnded: "the server has its say"
        case .perform(let action, _): name(action)
        case .callerCancelled: "a caller is canceled"
        case .sendRequest: "a request is requested"
        case .tokenNeeded: "a token is requested"
        case .waiterCancelled: "a caller is canceled"
        case .served: "the request of another program is over"
        case .requestCancelled: "a request is canceled"
        case .feedRejected(let generation): "the feed refuses generation \(generation)"
        case .recordLoaded(_, .success(let record)): "read \(RecordText.text(record))"
        case .recordLoaded(_, .failure(let problem)): "vault: \(problem.message)"
        case .flightLockHeld: "waits for the lock"
        case .flightLocked(_, .success(let isLocked)):
            isLocked ? "has the lock" : "did not get the lock"
        case .flightLocked(_, .failure(let problem)), .flightRefused(_, let problem):
            "lock: \(problem.message)"
        case .committed(_, .success(.committed)): "the write is done"
        case .committed(_, .success(.erased(let problem))):
            "erased, not written: \(problem.message)"
        case .committed(_, .success(.superseded)): "the write was refused"
        case .committed(_, .failure(let problem)): "write: \(problem.message)"
        case .vaultChecked(_, let problem): problem.map { "check: \($0.message)" } ?? "can write"
        case .loginEnded(_, let exchange): "login \(message(exchange.outcome))"
        case .refreshEnded(_, let exchange): "refresh \(message(exchange.outcome))"
        case .protectedEnded(_, let exchange): "request \(message(exchange.outcome))"
        case .revocationEnded(_, let exchange): "logout \(message(exchange.outcome))"
        case .probed(_, let isReached): isReached ? "the probe came back" : "the probe was lost"
        case .vaultChanged: "the vault changed"
        case .feed(let input): "feed: \(name(input))"
        }
    }

    private static func name(_ action: SessionAction) -> String {
        switch action {
        case .wait: "a state is awaited"
        case .save: "a write is awaited"
        case .logIn: "o: log in"
        case .refresh: "r: renew now"
        case .logOut(let scope): scope == .this ? "l: log out" : "L: log out everywhere"
        case .sendOutbox: "the pending logouts are awaited"
        }
    }

    private static func name(_ input: FeedInput) -> String {
        switch input {
        case .order: "an order"
        case .tick: "tick"
        case .dialStarted(let socket, _): "dials socket \(socket)"
        case .opened(let socket): "socket \(socket) is open"
        case .refused(let refusal, _):
            "socket \(refusal.socket) is answered \(refusal.status)"
        case .failed(let socket, let cause): "socket \(socket) fails: \(cause.code.rawValue)"
        case .closed(let socket, let code, let by, _):
            "socket \(socket) is closed with \(code) by \(by.rawValue)"
        case .message(let socket, let message, _):
            "message \(message.seq.map { String($0) } ?? "") on socket \(socket)"
        case .pong(let socket, _): "pong on socket \(socket)"
        case .keepAlive(let socket): "comment on socket \(socket)"
        case .position(let socket, _): "position on socket \(socket)"
        case .reconnectionTime(let socket, let seconds):
            "socket \(socket) asks to stay closed for \(seconds) s"
        case .leave: "leave"
        case .woke: "woke"
        case .held(let isHeld): isHeld ? "no socket is read" : "the sockets are read again"
        case .dialNow: "dial now"
        }
    }

    private static func message<Answer>(_ outcome: Outcome<Answer>) -> String {
        switch outcome {
        case .answered(let answer): "answered: \(short(answer))"
        case .notSent: "not sent"
        case .unanswered(let detail): "unanswered: \(detail)"
        }
    }

    /// Returns the name of the case only, without its values, which may contain tokens.
    private static func short<Answer>(_ answer: Answer) -> String {
        String(String(describing: answer).prefix { $0 != "(" })
    }
}
