package import Model

/// What an observation leads to.
package enum ObservationEffect: Sendable, Equatable {
    case emit(SessionEvent)
}
