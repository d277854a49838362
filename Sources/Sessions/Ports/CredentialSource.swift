package import Lifecycle
package import Tokens

/// Where a login's credentials come from: the environment, a prompt, a file.
package protocol CredentialSource: Sendable {
    /// What is known of these, and perhaps more.
    ///
    /// - Parameter names: All that one request needs.
    /// - Returns: Values by their names.
    /// - Throws: What is missing, and where it could be put.
    func credentials(named names: [String]) async throws(CredentialProblem) -> [String: Secret]
}
