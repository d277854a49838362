@testable import Basics
@testable import Profiles

/// Sample facts with all that some dialect writes into its responses.
extension IssuedFacts {
    static let sample = IssuedFacts(
        access: AccessToken(Secret("access-token-1")),
        refresh: RefreshToken(Secret("refresh-token-1")),
        issuedAt: 1_767_707_320,
        accessLifetime: 1800,
        refreshLifetime: 604_800,
        user: BackendUser(id: 123, email: "user@example.com", username: "melih")
    )
}
