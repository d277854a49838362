import Basics

/// A profile's file merged with the files that it extends.
struct ProfileChain {
    /// Finds the file of a name in `extends`; returns `nil` if there is none.
    typealias Lookup = (String) throws(DialectError) -> ProfileSource?

    /// The largest number of files in a chain.
    private static let depthLimit = 16

    /// The merged contents of the files.
    private(set) var whole: TOMLItem
    /// The files, the profile's own first.
    private(set) var files: [String]
    /// Those of them that are built-in dialects.
    private(set) var builtInFiles: Set<String> = []
    /// The files, and the address of the metadata below the file that names its issuer.
    private(set) var layers: [String]
    /// The sources in the metadata of the values that it fills, by their dotted paths.
    private(set) var notes: [String: String] = [:]
    /// The inherited tables that the metadata has removed, with the reasons.
    private(set) var absent: [(table: String, reason: String)] = []
    /// The name of the first provider in the chain, or else of the last dialect, which extends
    /// nothing.
    private(set) var dialectName: String

    /// The profile's own file, and what it extends, with and without what it disables.
    private var parts: (own: TOMLItem, base: TOMLItem, inherited: TOMLItem)?
    private let known: [String]
    private let lookup: Lookup
    private let provider: ProviderDescription?

    /// - Parameters:
    ///   - source: The profile's own file.
    ///   - known: The names that it may extend, to suggest one of them.
    ///   - provider: The statements of the issuer that the profile names, if they are known.
    ///   - lookup: Finds the file of a name.
    /// - Throws: `DialectError` with the file, the line and the cause.
    init(
        _ source: ProfileSource,
        known: [String],
        provider: ProviderDescription? = nil,
        lookup: @escaping Lookup
    ) throws(DialectError) {
        self.known = known
        self.lookup = lookup
        self.provider = provider
        whole = try TOMLItem.reading(source.text, file: source.file)
        files = [source.file]
        layers = files
        dialectName = source.name
        whole = try resolved(whole, of: source)
    }

    /// Merges a file with those that it extends; `upper` are those that extend it.
    private mutating func resolved(
        _ own: TOMLItem,
        of source: ProfileSource,
        under upper: TOMLItem? = nil
    ) throws(DialectError) -> TOMLItem {
        let table = try SchemaTable(own, keys: Profile.keys)
        let said = (upper?.laid(over: own) ?? own).without(["disable"])
        // Another issuer in a file below is replaced, like any other value.
        let namesIssuer = table.has(ProfileIssuer.key) && upper?.member(ProfileIssuer.key) == nil
        let provider = namesIssuer ? provider : nil
        if let provider { layers.append(provider.address) }
        guard let name = try table.string("extends") else {
            dialectName = try table.string("name") ?? source.name
            if table.has("disable") {
                throw table.error(at: "disable", "nothing is inherited", "expected extends")
            }
            return own.laid(over: try filled(own.with([:]), by: provider, under: said))
        }
        let base = try base(name, in: table)
        files.append(base.file)
        if base == ProfileSource.builtIn(base.name) { builtInFiles.insert(base.file) }
        layers.append(base.file)
        let text = try TOMLItem.reading(base.text, file: base.file)
        var merged = try resolved(text, of: base, under: said)
            // The sandbox's responses belong to the dialect and are not inherited.
            .without(["name", "responses", "extends"])
        merged = try filled(merged, by: provider, under: said)
        var inherited = merged
        for item in try table.strings("disable") ?? [] {
            guard case .string(let path) = item.value else { continue }
            guard let rest = Self.removing(path, from: inherited) else {
                let hint = NearestKey.hint(path, among: inherited.paths, "inherited")
                let found = "\(base.file) has no \(path.quotedForError)"
                throw table.error(at: item, found, hint)
            }
            inherited = rest
        }
        for table in absent.map(\.table) {
            inherited = inherited.without(path: table) ?? inherited
        }
        if Profile.isProvider(source) { dialectName = source.name }
        // The outermost file is the last.
        parts = (own, merged, inherited)
        return own.without(["disable"]).laid(over: inherited)
    }

    /// Returns what is inherited with what the issuer states.
    private mutating func filled(
        _ inherited: TOMLItem,
        by provider: ProviderDescription?,
        under said: TOMLItem
    ) throws(DialectError) -> TOMLItem {
        guard let provider else { return inherited }
        let layer = try ProviderLayer(provider, under: said, over: inherited)
        notes = layer.notes
        absent = layer.absent
        return layer.item.laid(over: inherited)
    }

    /// The values that the profile's own file has, but for tables.
    var ownValues: [TOMLItem] { parts?.own.leaves ?? [] }

    /// Returns the merged contents as they would be without one of those values.
    func without(_ item: TOMLItem) -> TOMLItem? {
        guard let parts, let rest = parts.own.without(path: item.path) else { return nil }
        return rest.without(["disable"])
            .laid(over: item.path == "disable" ? parts.base : parts.inherited)
    }

    /// Removes a path from the top or from any of the grants, which may be selected later.
    private static func removing(_ path: String, from file: TOMLItem) -> TOMLItem? {
        guard case .table(var grants)? = file.member("grants")?.value,
            case .table(var members) = file.value
        else { return file.without(path: path) }
        var isFound = false
        for (name, grant) in grants {
            guard let rest = grant.without(path: path) else { continue }
            grants[name] = rest
            isFound = true
        }
        members["grants"] = file.member("grants")?.with(grants)
        let rest = file.with(members)
        return rest.without(path: path) ?? (isFound ? rest : nil)
    }

    /// Finds the file of a name; a name that leads back to one of the files refers to the built-in
    /// dialect of that name.
    private func base(
        _ name: String,
        in table: SchemaTable
    ) throws(DialectError) -> ProfileSource {
        guard let found = try lookup(name) else {
            let hint = NearestKey.hint(name, among: known)
            throw table.error(at: "extends", "there is no \(name.quotedForError)", hint)
        }
        if files.contains(found.file) {
            if let builtIn = ProfileSource.builtIn(name), !files.contains(builtIn.file) {
                return builtIn
            }
            let way = (files + [found.file]).joined(separator: " → ")
            throw table.error(at: "extends", "leads back to itself: \(way)")
        }
        guard files.count < Self.depthLimit else {
            let expected = "expected a chain of at most \(Self.depthLimit) files"
            throw table.error(at: "extends", "too many files extend each other", expected)
        }
        return found
    }
}
