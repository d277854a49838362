package import Basics
package import Model

/// A source of a login's credentials: the environment, a prompt, a file.
package protocol CredentialSource: Sendable {
    /// Returns the credentials with these names, and possibly others.
    ///
    /// - Parameter names: All credentials that one request needs.
    /// - Returns: The values by name.
    /// - Throws: `CredentialProblem`, which says what is missing and where it can be provided.
    func credentials(named names: [String]) async throws(CredentialProblem) -> [String: Secret]
}
