@testable import Profiles

extension Dialect {
    /// The built-in one as a profile changes it.
    static func oauth2(_ lines: String = "") throws -> Dialect {
        try Profile.extending(lines: "extends = \"oauth2\"\n\(lines)").dialect
    }
}

extension Profile {
    /// A profile `mine.toml` that may extend the built-in dialects and the files given by name.
    static func extending(
        lines: String,
        files: [String: String] = [:]
    ) throws(DialectError) -> Profile {
        try Profile(
            ProfileSource(name: "mine", text: lines, file: "mine.toml"),
            known: (Array(files.keys) + Array(Dialect.builtInSources.keys)).sorted()
        ) { name in
            if name == "mine" {
                return ProfileSource(name: name, text: lines, file: "mine.toml")
            }
            guard let text = files[name] else { return ProfileSource.builtIn(name) }
            return ProfileSource(name: name, text: text, file: "profiles/\(name).toml")
        }
    }
}
