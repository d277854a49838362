package import Lifecycle

/// What an observation leads to.
package enum ObservationEffect: Sendable, Hashable {
    case emit(SessionEvent)
}
