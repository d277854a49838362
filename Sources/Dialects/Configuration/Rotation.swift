/// Whether a refresh also replaces the refresh token.
package enum Rotation: String, Sendable, Hashable, CaseIterable {
    case always
    case never
    /// The documentation and the answers disagree, or say nothing.
    case maybe
}
