/// The profiles of providers, to be extended: they are written from public documentation, and were
/// not run against the services.
///
/// They are no dialects of their own: the tests of the sandbox and the simulation do not include
/// them.
extension Profile {
    /// Returns the profiles in alphabetical order.
    package static func providers() -> [Profile] { parsedProviders }

    /// The text of each file, by the provider's name.
    package static let providerSources: [String: String] = [
        "auth0": PackageResources.auth0_toml,
        "cognito": PackageResources.cognito_toml,
        "entra": PackageResources.entra_toml,
        "firebase": PackageResources.firebase_toml,
        "keycloak": PackageResources.keycloak_toml,
        "okta": PackageResources.okta_toml,
        "supabase": PackageResources.supabase_toml,
    ].mapValues { String(decoding: $0, as: UTF8.self) }

    /// Returns whether the source is a provider's, and not a file of the user with its name.
    static func isProvider(_ source: ProfileSource) -> Bool {
        providerSources[source.name] == source.text
    }

    /// The parsed profiles; one that cannot be parsed is missing, which a test detects.
    private static let parsedProviders = providerSources.keys.sorted()
        .compactMap { ProfileSource.builtIn($0) }
        .compactMap { source in
            try? Profile(source, known: [], lookup: { ProfileSource.builtIn($0) })
        }
}
