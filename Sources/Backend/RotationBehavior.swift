package import Dialects

/// What a refresh does to the refresh token.
package enum RotationBehavior: String, Sendable, Hashable, CaseIterable, Codable {
    /// The answer holds a new one.
    case replaces
    /// The answer holds the same one.
    case keeps
    /// The answer holds none, and the old one goes on living.
    case keepsSilently
    /// The answer holds none, and the old one is spent: nothing can be renewed any more.
    case consumes

    /// The behavior that a dialect documents; where it leaves it open, sessions live on.
    package init(of dialect: Dialect) {
        switch dialect.rotation {
        case .always: self = .replaces
        case .never: self = .keeps
        case .maybe: self = dialect.refreshIsOneTime ? .consumes : .keepsSilently
        }
    }
}
