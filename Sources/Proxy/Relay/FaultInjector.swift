package import Basics
package import Observer
package import Profiles

/// Decides on the faults that experiments inject into requests, their answers and sockets.
///
/// Everything but `attach` is called on the event loop, so it must be quick and never block.
package protocol FaultInjector: Sendable {
    /// Gets what carries out orders for sockets.
    func attach(_ perform: @escaping @Sendable (SocketOrder) -> Void)

    /// Gets what passes, in the order of the event loop.
    func observe(_ input: TrafficInput, at moment: Moment)

    /// Called once for each request and before any of it is sent.
    func decide(on request: WireRequest, exchange: Int) -> FaultDecision

    /// Called once a request has been observed to its end, if that was to be awaited.
    func decide(on exchange: Int, at moment: Moment) -> FaultDecision

    /// Returns another body for an answer that is to be rewritten, or `nil` if it stays.
    func rewriting(_ body: [UInt8], of exchange: Int, at moment: Moment) -> [UInt8]?
}

extension FaultInjector {
    package func attach(_ perform: @escaping @Sendable (SocketOrder) -> Void) {}

    package func observe(_ input: TrafficInput, at moment: Moment) {}

    package func decide(on exchange: Int, at moment: Moment) -> FaultDecision { .pass }

    package func rewriting(_ body: [UInt8], of exchange: Int, at moment: Moment) -> [UInt8]? {
        nil
    }
}

/// Injects nothing.
package struct NoFaults: FaultInjector {
    package func decide(on request: WireRequest, exchange: Int) -> FaultDecision { .pass }
}

extension ExperimentInjector: FaultInjector {
    package func decide(on request: WireRequest, exchange: Int) -> FaultDecision {
        guard isArmed else { return .pass }
        // Otherwise a client that sent `Expect: 100-continue` would hang.
        let isHeld = request.headers.contains { $0.name.asciiLowercased == "expect" }
        return isHeld ? .pass : .awaitBody
    }
}
