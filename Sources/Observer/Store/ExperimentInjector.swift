package import Basics
import Model
import Synchronization

/// Decides on the faults that experiments inject; armed by the store, asked by the proxy.
///
/// While none is, it examines almost nothing.
package final class ExperimentInjector: Sendable {
    private struct State {
        /// `nil` while no request is to be changed.
        var plan: FaultPlan?
        var answers = RefusalTemplates()
        var perform: (@Sendable (SocketOrder) -> Void)?
    }

    private let state = Mutex(State())

    package init() {}

    /// Names who closes sockets; called once.
    package func attach(_ perform: @escaping @Sendable (SocketOrder) -> Void) {
        state.withLock { $0.perform = perform }
    }

    /// Begins an experiment.
    ///
    /// - Parameters:
    ///   - experiment: The experiment.
    ///   - session: The session that it concerns, or `nil` for any.
    ///   - reader: As it reads the traffic at present.
    ///   - machine: The present state of the traffic.
    func arm(
        _ experiment: Fault,
        session: SessionID?,
        reader: TrafficReader,
        machine: ObservationMachine
    ) {
        let action: SocketOrder.Action? =
            switch experiment.effect {
            case .closeFeed: .cut(code: experiment[.code])
            case .silenceFeed: .mute
            default: nil
            }
        let order = state.withLock { state -> (() -> Void)? in
            var plan = state.plan ?? FaultPlan(reader: reader, machine: machine)
            guard let action else {
                plan.arm(experiment, session: session)
                state.plan = plan
                return nil
            }
            let order = SocketOrder(
                experiment: experiment.description,
                sockets: plan.sockets(of: session),
                action: action
            )
            return { [perform = state.perform] in perform?(order) }
        }
        order?()
    }

    /// Ends an experiment, or all.
    func disarm(_ experiment: Fault?) {
        state.withLock { $0.plan?.disarm(experiment) }
    }

    /// Whether requests may be changed, so that they are read before they are sent.
    package var isArmed: Bool {
        state.withLock { state in
            if state.plan?.isIdle == true { state.plan = nil }
            return state.plan != nil
        }
    }

    package func observe(_ input: TrafficInput, at moment: Moment) {
        state.withLock { state in
            state.answers.observe(input)
            state.plan?.observe(input, at: moment)
        }
    }

    /// Decides on a request that has been observed to its end.
    package func decide(on exchange: Int, at moment: Moment) -> FaultDecision {
        state.withLock { state in
            state.plan?.decide(on: exchange, at: moment, answers: state.answers) ?? .pass
        }
    }

    /// Returns another body for an answer, or `nil` if it stays as it is.
    package func rewriting(_ body: [UInt8], of exchange: Int, at moment: Moment) -> [UInt8]? {
        state.withLock { $0.plan?.rewriting(body, of: exchange, at: moment) }
    }
}
