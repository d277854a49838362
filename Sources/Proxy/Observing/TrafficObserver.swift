package import Basics
package import Observer

/// Receives the traffic that passes through the proxy, in the order of its event loop.
package protocol TrafficObserver: Sendable {
    /// Called on the event loop, so it must be quick and never block.
    func observe(_ input: TrafficInput, at moment: Moment)
}

extension TrafficQueue: TrafficObserver {}
