/// How one backend speaks: where tokens go, what comes back, which answers end a session.
///
/// Read in both directions: the client builds requests and reads answers, the sandbox reads
/// requests and writes answers.
package struct Dialect: Sendable, Equatable {
    /// Lower-case, unique: what a person types.
    package var name: String
    package var title: String
    package var rotation: Rotation
    package var lifetimes: DocumentedLifetimes

    // The exchanges follow here.
}

/// Whether a refresh also replaces the refresh token.
package enum Rotation: String, Sendable, Hashable, CaseIterable {
    case always
    case never
    /// The documentation and the answers disagree, or say nothing.
    case maybe
}

/// What the backend's documentation says; the assumed expiry where no answer says one.
package struct DocumentedLifetimes: Sendable, Hashable {
    /// Seconds; nil when not stated.
    package var access: Double?
    /// Seconds; nil when not stated.
    package var refresh: Double?
    /// Whether a refresh moves the refresh token's expiry on.
    package var refreshSlides: Bool
}
