/// What it means that a request is refused again with a renewed access token.
package enum SecondRefusal: String, Sendable, Hashable, CaseIterable {
    /// The session is kept: the backend may be at odds with itself.
    case keep
    /// The session is over.
    case end
}
