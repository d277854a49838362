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
        "authentik": PackageResources.authentik_toml,
        "better-auth": PackageResources.better_auth_toml,
        "clerk": PackageResources.clerk_toml,
        "cognito": PackageResources.cognito_toml,
        "discord": PackageResources.discord_toml,
        "entra": PackageResources.entra_toml,
        "firebase": PackageResources.firebase_toml,
        "github": PackageResources.github_toml,
        "gitlab": PackageResources.gitlab_toml,
        "google": PackageResources.google_toml,
        "keycloak": PackageResources.keycloak_toml,
        "logto": PackageResources.logto_toml,
        "okta": PackageResources.okta_toml,
        "ory": PackageResources.ory_toml,
        "slack": PackageResources.slack_toml,
        "spotify": PackageResources.spotify_toml,
        "supabase": PackageResources.supabase_toml,
        "workos": PackageResources.workos_toml,
        "zitadel": PackageResources.zitadel_toml,
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
