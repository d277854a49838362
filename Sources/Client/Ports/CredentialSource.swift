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

    /// Prepares the credentials of the client for a login: registers it again if the server has forgotten
    /// it.
    ///
    /// - Throws: `CredentialProblem` if the server does not register it.
    func prepareLogin() async throws(CredentialProblem)

    /// The server has said that it does not know the client.
    ///
    /// - Returns: Whether the next login registers another one.
    func clientRefused() async -> Bool
}

extension CredentialSource {
    package func prepareLogin() async throws(CredentialProblem) {}
    package func clientRefused() async -> Bool { false }
}
