import Sessions
import Tokens

/// Credentials that are at hand before the session starts.
struct FixedCredentials: CredentialSource {
    let values: [String: Secret]

    func credentials() async throws(CredentialProblem) -> [String: Secret] { values }
}
