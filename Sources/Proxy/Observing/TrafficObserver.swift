package import Observation
package import Sessions
package import Timekeeping

/// Who is told what passes through the proxy, in the order of its event loop.
package protocol TrafficObserver: Sendable {
    /// Called on the event loop, so it must be quick and never block.
    func observe(_ input: TrafficInput, at moment: Moment)
}

extension TrafficQueue: TrafficObserver {}

/// Who decides, for an experiment, what becomes of a request.
package protocol FaultGate: Sendable {
    /// Called on the event loop, once for each request and before any of it is sent.
    func decide(on request: RequestHead, exchange: Int) -> FaultDecision
}

package enum FaultDecision: Sendable {
    case pass
    /// The proxy answers in place of the backend, which gets nothing of the request.
    case answer(InjectedAnswer)
}

/// An answer of the proxy in place of the backend's.
package struct InjectedAnswer: Sendable {
    package var experiment: String
    /// With a status from 200, and without the fields that frame the body.
    package var head: ResponseHead
    package var body: [UInt8]

    package init(experiment: String, head: ResponseHead, body: [UInt8]) {
        self.experiment = experiment
        self.head = head
        self.body = body
    }
}

/// A gate through which every request passes.
package struct OpenGate: FaultGate {
    package init() {}

    package func decide(on request: RequestHead, exchange: Int) -> FaultDecision { .pass }
}
