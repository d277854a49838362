/// What the backend's documentation says; the assumed expiry where no answer says one.
package struct DocumentedLifetimes: Sendable, Hashable {
    /// Seconds, or `nil` if not stated.
    package var access: Double?
    /// Seconds, or `nil` if not stated.
    package var refresh: Double?
    /// Whether a refresh moves the refresh token's expiry on.
    package var refreshSlides: Bool

    package init(access: Double? = nil, refresh: Double? = nil, refreshSlides: Bool = true) {
        self.access = access
        self.refresh = refresh
        self.refreshSlides = refreshSlides
    }
}
