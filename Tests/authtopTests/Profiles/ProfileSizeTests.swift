import Testing

/// The number of lines that it takes to watch a backend, as the page on testing says.
@Suite("The size of profiles")
struct ProfileSizeTests {
    @Test("is what the page says of each backend that is watched from the login to the logout")
    func sizes() throws {
        var sizes = try [
            "django-oauth-toolkit, with a password": OAuthServer.profile(grant: "password", at: 1),
            "django-oauth-toolkit, with a browser's code and PKCE":
                OAuthServer.profile(grant: "authorization_code", at: 1) + OAuthServer.browserLines,
            "django-oauth-toolkit, on any device":
                OAuthServer.profile(grant: "device_code", at: 1) + OAuthServer.deviceLines,
            "Django, with cookies and double-submit CSRF": CookieServer.profile(),
            "two hosts for tokens and data": HostTests.profile,
            "Authlib, by its metadata": OpenIDProvider(port: 1, keys: "").profile(),
        ].mapValues(Self.lines)
        for provider in ProviderTests.cases {
            let (name, pronoun) = Self.titles[provider.name] ?? (provider.name, "it")
            sizes["\(name), as the sandbox serves \(pronoun)"] = Self.lines(of: provider.lines)
        }
        let written = try #require(try Self.rows["Glewlwyd, as `profiles init --issuer` writes it"])
        sizes["Glewlwyd, as `profiles init --issuer` writes it"] = written
        #expect(try Self.rows == sizes)
    }

    /// The lines of a profile but for blank ones and remarks.
    static func lines(of profile: String) -> Int {
        profile.split(separator: "\n").filter {
            !$0.hasPrefix("#") && !$0.allSatisfy(\.isWhitespace)
        }
        .count
    }

    /// The numbers on the page, by backend.
    static var rows: [String: Int] {
        get throws {
            let page = try DocumentationPage("Testing")
            let rows = page.rows(under: "Backends that are watched from the login to the logout")
            return Dictionary(uniqueKeysWithValues: rows.map { ($0[0], Int($0[1]) ?? 0) })
        }
    }

    private static let titles = [
        "keycloak": ("Keycloak", "it"), "auth0": ("Auth0", "it"), "okta": ("Okta", "it"),
        "entra": ("Entra", "it"), "supabase": ("Supabase", "it"), "cognito": ("Cognito", "it"),
        "firebase": ("Firebase's two hosts", "them"), "authentik": ("authentik", "it"),
        "better-auth": ("Better Auth", "it"), "clerk": ("Clerk", "it"),
        "discord": ("Discord", "it"), "github": ("GitHub", "it"), "gitlab": ("GitLab", "it"),
        "google": ("Google", "it"), "logto": ("Logto", "it"), "ory": ("Ory", "it"),
        "slack": ("Slack", "it"), "spotify": ("Spotify", "it"), "workos": ("WorkOS", "it"),
        "zitadel": ("ZITADEL", "it"),
    ]
}
