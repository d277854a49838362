/// The built-in dialects.
extension Dialect {
    /// Returns the dialects in alphabetical order.
    package static func builtIn() -> [Dialect] { parsed }

    package static func builtIn(named name: String) -> Dialect? {
        parsed.first { $0.name == name }
    }

    /// The text of each file, by the dialect's name.
    package static let builtInSources: [String: String] = [
        "bitbasel": PackageResources.bitbasel_toml,
        "creatist": PackageResources.creatist_toml,
        "intellipost": PackageResources.intellipost_toml,
        "melchat": PackageResources.melchat_toml,
        "oauth2": PackageResources.oauth2_toml,
        "voltyks": PackageResources.voltyks_toml,
    ].mapValues { String(decoding: $0, as: UTF8.self) }

    /// The parsed dialects; one that cannot be parsed is missing, which a test detects.
    private static let parsed = builtInSources.sorted { $0.key < $1.key }
        .compactMap { name, text in try? Dialect(toml: text, file: "\(name).toml") }
}
