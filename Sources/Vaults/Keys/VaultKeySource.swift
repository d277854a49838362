package import Lifecycle

/// Where a vault's key can be kept; a record says in which of them its own is.
package enum KeyPlace: String, Sendable, Hashable, CaseIterable {
    case file = "key-file"
    case secretService = "secret-service"
}

/// Keeps one key for all records of an installation.
package protocol VaultKeySource: Sendable {
    var place: KeyPlace { get }
    /// Where that is, for a person.
    var description: String { get }
    /// What it protects a record against, and what not.
    var protection: String { get }

    /// What a person has to be told before the first key is made.
    var notice: String? { get }

    /// `nil` when there is no key yet. Blocks the calling thread.
    func existing() throws(VaultProblem) -> VaultKey?

    /// Removes the key, where it is this installation's alone. Blocks likewise.
    func remove() throws(VaultProblem)

    /// Makes a key, unless another process made one meanwhile: then that one. Blocks likewise.
    func create() throws(VaultProblem) -> VaultKey
}
