import Sessions
import Tokens

/// Credentials that are at hand before the session starts.
struct FixedCredentials: CredentialSource {
    let values: [String: Secret]
    /// What is missing and where it could be put, for a login that was not foreseen.
    var problem: CredentialProblem?

    func credentials() async throws(CredentialProblem) -> [String: Secret] {
        if let problem { throw problem }
        return values
    }
}
