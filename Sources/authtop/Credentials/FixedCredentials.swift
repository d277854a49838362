import Sessions
import Tokens

/// Credentials that are at hand before the session starts.
struct FixedCredentials: CredentialSource {
    var values: [String: Secret]
    /// What is missing and where it could be put, for a login that was not foreseen.
    var problem: CredentialProblem?

    func credentials(named names: [String]) async throws(CredentialProblem) -> [String: Secret] {
        if let problem, names.contains(where: { values[$0] == nil }) { throw problem }
        return values
    }
}
