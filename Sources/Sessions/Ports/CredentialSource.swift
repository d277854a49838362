package import Tokens

/// Where a login's credentials come from: the environment, a prompt, a file.
package protocol CredentialSource: Sendable {
    /// - Throws: What is missing, and where it could be put.
    func credentials() async throws(CredentialProblem) -> [String: Secret]
}

package struct CredentialProblem: Error, Sendable, Hashable {
    package var words: String

    package init(words: String) {
        self.words = words
    }
}
