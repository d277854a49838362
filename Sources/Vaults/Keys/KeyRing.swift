import Lifecycle
import Synchronization

/// The keys at hand: records are read with the one that they name, and new ones use the first.
final class KeyRing: Sendable {
    let sources: [any VaultKeySource]
    /// A key is asked for once, because that may take a process.
    private let known = Mutex<[KeyPlace: VaultKey]>([:])

    /// - Parameter sources: The preferred one first.
    init(_ sources: [any VaultKeySource]) {
        self.sources = sources
    }

    /// The one that a place stands for.
    func source(in place: KeyPlace) -> (any VaultKeySource)? {
        sources.first { $0.place == place }
    }

    /// For a record that is there.
    ///
    /// - Parameters:
    ///   - place: Where its key is.
    ///   - name: Which key it is.
    ///   - record: What cannot be read without it, for the words.
    /// - Returns: The key.
    /// - Throws: When it is not there; nothing is made in its place.
    func key(in place: KeyPlace, named name: String, of record: String)
        throws(VaultProblem) -> VaultKey
    {
        if let key = known.withLock({ $0[place] }), key.name == name { return key }
        guard let source = source(in: place) else {
            throw VaultProblem(
                .locked,
                message: "\(record): its key is in \(place.description), which is not within reach"
            )
        }
        guard let key = try source.existing() else {
            throw VaultProblem(
                message:
                    "\(record): its key is missing, expected in \(source.description); put it back, "
                    + "or move the record away to log in anew"
            )
        }
        guard key.name == name else {
            throw VaultProblem(
                message:
                    "\(record): encrypted with another key than the one in \(source.description), or "
                    + "damaged; put the right key back, or move the record away to log in anew"
            )
        }
        known.withLock { $0[place] = key }
        return key
    }

    /// For a record that is written for the first time, under the lock of all records.
    ///
    /// The key is looked for again, because whoever removed the last record may have removed the
    /// key that is known.
    func keyForNew() throws(VaultProblem) -> (place: KeyPlace, key: VaultKey) {
        guard let source = sources.first else {
            throw VaultProblem(message: "there is no place to keep a key in")
        }
        let key: VaultKey
        if let old = try source.existing() { key = old } else { key = try source.create() }
        known.withLock { $0[source.place] = key }
        return (source.place, key)
    }

    /// Removes the keys that no record of a folder needs, under the lock of all records.
    ///
    /// A record that cannot be read, or that a credential helper has, may need any of them.
    func removeUnneeded(in folder: borrowing PrivateFolder) throws(VaultProblem) {
        var needed: Set<KeyPlace> = []
        for name in folder.names {
            if name.hasSuffix(HelperStore.stampSuffix) { needed = Set(KeyPlace.allCases) }
            guard name.hasSuffix(".vault"), !name.hasPrefix(".") else { continue }
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
    /// For a person.
    var description: String {
        switch self {
        case .file: "a 0600 file beside it"
        case .secretService: "the Secret Service"
        }
    }
}
