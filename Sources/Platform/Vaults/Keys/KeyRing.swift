import Basics
import Client
import Model
import Synchronization

/// The available keys: a record is read with the key that it names, and a new one uses the first.
final class KeyRing: Sendable {
    let sources: [any VaultKeySource]
    /// The keys by place, cached because reading one may run a process.
    private let known = Mutex<[KeyPlace: VaultKey]>([:])

    /// - Parameter sources: The sources of keys, the preferred one first.
    init(_ sources: [any VaultKeySource]) {
        self.sources = sources
    }

    /// Returns the source for a place, or `nil` if there is none.
    func source(in place: KeyPlace) -> (any VaultKeySource)? {
        sources.first { $0.place == place }
    }

    /// Returns the key for an existing record.
    ///
    /// - Parameters:
    ///   - place: The place of the key.
    ///   - name: The name of the key.
    ///   - record: The record to name in errors.
    /// - Returns: The key.
    /// - Throws: If the key is missing; no key is created in its place.
    func key(in place: KeyPlace, named name: String, of record: String)
        throws(VaultProblem) -> VaultKey
    {
        if let key = known.withLock({ $0[place] }), key.name == name { return key }
        guard let source = source(in: place) else {
            throw VaultProblem(
                .locked,
                message: "\(record): its key is in \(place.description), which is not available"
            )
        }
        guard let key = try source.existing() else {
            throw VaultProblem(
                message:
                    "\(record): its key is missing, expected in \(source.description); put it back, "
                    + "or move the record away and log in again"
            )
        }
        guard key.name == name else {
            throw VaultProblem(
                message:
                    "\(record): encrypted with another key than the one in \(source.description), or "
                    + "damaged; put the right key back, or move the record away and log in again"
            )
        }
        known.withLock { $0[place] = key }
        return key
    }

    /// Returns the key for a new record; called under the lock of all records.
    ///
    /// The key is read again, because the process that removed the last record may also have
    /// removed the key that is cached.
    func keyForNew() throws(VaultProblem) -> (place: KeyPlace, key: VaultKey) {
        guard let source = sources.first else {
            throw VaultProblem(message: "there is no place to keep a key in")
        }
        let key: VaultKey
        if let old = try source.existing() { key = old } else { key = try source.create() }
        known.withLock { $0[source.place] = key }
        return (source.place, key)
    }

    /// Removes the keys that no record in a folder needs; called under the lock of all records.
    ///
    /// No key is removed while there is a record that cannot be read or that a credential helper
    /// stores, since it may need any of them.
    func removeUnneeded(in folder: borrowing PrivateFolder) throws(VaultProblem) {
        var needed: Set<KeyPlace> = []
        for name in folder.names {
            if name.ends(with: HelperStore.stampSuffix) { needed = Set(KeyPlace.allCases) }
            guard name.ends(with: ".vault"), !name.begins(with: ".") else { continue }
            guard let head = FileStore.head(of: name, in: folder) else { return }
            needed.insert(head.keyPlace)
        }
        for source in sources where !needed.contains(source.place) {
            try source.remove()
            known.withLock { $0[source.place] = nil }
        }
    }
}

extension KeyPlace {
    /// The place, for the user.
    var description: String {
        switch self {
        case .file: "a 0600 file beside it"
        case .secretService: "the Secret Service"
        }
    }
}
