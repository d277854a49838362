package import Model

/// The effect of an observation.
package enum ObservationEffect: Sendable, Equatable {
    case emit(SessionEvent)
}
