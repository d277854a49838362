package import Model

/// What an observation leads to.
package enum ObservationEffect: Sendable, Hashable {
    case emit(SessionEvent)
}
