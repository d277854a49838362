import Synchronization

/// The built-in dialects.
extension Dialect {
    /// Returns the dialects in alphabetical order; one that cannot be parsed is missing, which a test
    /// detects.
    package static func builtIn() -> [Dialect] { builtInNames.compactMap { builtIn(named: $0) } }

    package static func builtIn(named name: String) -> Dialect? {
        if let dialect = read.withLock({ $0[name] }) { return dialect }
        guard let text = builtInSources[name],
            let dialect = try? Dialect(toml: text, file: "\(name).toml")
        else { return nil }
        read.withLock { $0[name] = dialect }
        return dialect
    }

    /// In alphabetical order.
    package static let builtInNames = builtInSources.keys.sorted()

    /// The text of each file, by the dialect's name.
    static let builtInSources: [String: String] = [
        "bitbasel": PackageResources.bitbasel_toml,
        "creatist": PackageResources.creatist_toml,
        "intellipost": PackageResources.intellipost_toml,
        "melchat": PackageResources.melchat_toml,
        "oauth2": PackageResources.oauth2_toml,
        "voltyks": PackageResources.voltyks_toml,
    ].mapValues { String(decoding: $0, as: UTF8.self) }

    /// The dialects that were asked for: most runs need one.
    private static let read = Mutex<[String: Dialect]>([:])
}
