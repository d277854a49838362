/// Which tokens a logout's request holds, and so which must be at hand for it to be sent.
package struct LogoutNeeds: Sendable, Hashable {
    package var refresh: Bool
    package var access: Bool
    /// Whether the access token alone does where there is no refresh token.
    package var accessSuffices: Bool

    /// Whether the request does not tell whose session is meant.
    package var isAnonymous: Bool { !refresh && !access }

    package init(refresh: Bool, access: Bool = false, accessSuffices: Bool = false) {
        self.refresh = refresh
        self.access = access
        self.accessSuffices = accessSuffices
    }
}
