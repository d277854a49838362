import Basics

/// A browser's request to end the provider's session (OpenID Connect RP-Initiated Logout 1.0), as the
/// sandbox receives it.
package struct EndSessionQuery: Sendable, Hashable {
    private let redirectURI: String?
    private let state: String?
    /// Whether the user has confirmed it in the sandbox's form, or a test has.
    package let isConfirmed: Bool

    init(_ request: WireRequest) {
        let items = request.parameters
        redirectURI = items["post_logout_redirect_uri"]
        state = items["state"]
        isConfirmed = items[AuthorizationQuery.decisionName] == Self.confirmation
    }

    /// The decision in the form.
    package static let confirmation = "log-out"

    /// Returns the target of the redirect, or `nil` if none is requested.
    package var redirect: String? {
        redirectURI.map { uri in
            guard let state else { return uri }
            let query = FormEncoding.encode([(name: "state", value: state)])
            return uri + (uri.has("?") ? "&" : "?") + query
        }
    }

    /// Whether the redirect, if any, goes to this machine, and nowhere else.
    package var isForThisMachine: Bool {
        redirectURI.map(AuthorizationQuery.isOfThisMachine) ?? true
    }
}
