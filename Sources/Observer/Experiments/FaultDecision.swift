package import Profiles

/// The decision on a request, for an experiment.
package enum FaultDecision: Sendable {
    case pass
    /// The proxy asks again once the request is there, whose body it holds until then.
    case awaitBody
    /// The proxy answers in place of the backend, which gets nothing of the request.
    case answer(InjectedAnswer)
    /// The backend gets the request, and the app not quite its answer.
    case change(experiment: String, AnswerChange)
}

/// An answer of the proxy in place of the backend's.
package struct InjectedAnswer: Sendable {
    package var experiment: String
    /// With a status from 200, and without the fields that frame the body.
    package var response: WireResponse
    /// The time that the app waits for it, in seconds.
    package var delay: Double = 0
}

/// The decision on the backend's answer.
package enum AnswerChange: Sendable, Hashable {
    /// The app does not get it: its connection is reset, or hangs.
    case lose(hangs: Bool)
    /// It is held for this number of seconds.
    case delay(seconds: Double)
    /// Its body is held, and rewritten.
    case rewrite
    /// Its `Date` is shifted by this number of seconds.
    case shiftDate(seconds: Int)
}

/// An order for open sockets.
package struct SocketOrder: Sendable, Hashable {
    package enum Action: Sendable, Hashable {
        /// Closes them with a code; without a close frame for 1006.
        case cut(code: Int)
        /// Passes nothing more on to the app.
        case mute
    }

    package var experiment: String
    /// By the numbers of their exchanges, or `nil` for all.
    package var sockets: Set<Int>?
    package var action: Action
}
