import Basics
import FoundationEssentials
import Profiles
import Testing

@testable import Stores

/// Files as the programs write them, and what has to be read of them.
struct StoreSample: Sendable, CustomTestStringConvertible {
    let store: String
    let path: String
    let text: String
    /// The account of each session, then the seconds that its access token and its refresh token have
    /// left at `now`; `nil` for none.
    let sessions: [(account: String?, access: Double?, hasRefresh: Bool)]

    var testDescription: String { "\(store): \(path)" }

    static let now = Date(timeIntervalSince1970: 1_800_000_000)
    static let fingerprinter = Fingerprinter(salt: Array(0..<16))

    /// Reads the file by the definition that is part of the program.
    func read() throws -> [StoredSession] {
        let definition = try #require(StoreDefinition.builtIn.first { $0.name == store })
        return try Self.read(text, at: path, by: definition)
    }

    static func read(
        _ text: String,
        at path: String,
        by definition: StoreDefinition
    ) throws -> [StoredSession] {
        let files = try #require(
            definition.files.first { files in
                files.paths.contains { fits($0, path) }
            },
            "no path of \(definition.name) fits \(path)"
        )
        let document = try #require(StoreDocument.read(Array(text.utf8), as: files.format))
        return StoredSessionReader(definition, fingerprinter: fingerprinter)
            .sessions(in: document, at: files.sessions, file: "/home/a/\(path)", modified: now)
            .sessions
    }

    private static func fits(_ place: StorePath, _ path: String) -> Bool {
        let variables = [
            "HOME": "/home/a", "XDG_CONFIG_HOME": "/home/a/.config",
            "XDG_DATA_HOME": "/home/a/.local/share", "XDG_RUNTIME_DIR": "/home/a/run",
        ]
        let names = "/home/a/\(path)".parts(at: "/")
        return place.bases(in: variables).contains { base in
            let first = base.parts(at: "/")
            let rest = names.dropFirst(first.count)
            return names.starts(with: first) && rest.count == place.names.count
                && zip(place.names, rest).allSatisfy { $0.matches(String($1)) }
        }
    }

    /// A JWT with these claims, and a signature that is none.
    static func token(_ claims: String) -> String {
        let parts = [#"{"alg":"none"}"#, claims].map { Base64URL.encode(Array($0.utf8)) }
        return "\(parts[0]).\(parts[1]).c2lnbmF0dXJl"
    }
}

extension StoreSample {
    static let all: [StoreSample] = [
        StoreSample(
            store: "aws-sso",
            path: ".aws/sso/cache/0a1b.json",
            text: """
                {"startUrl": "https://acme.awsapps.com/start", "region": "eu-central-1",
                "accessToken": "aoaAAAAAGZ-access", "expiresAt": "2027-01-15T08:10:00Z",
                "clientId": "c", "clientSecret": "verysecret", "refreshToken": "aorAAAAAGZ-refresh",
                "registrationExpiresAt": "2027-04-15T08:00:00Z"}
                """,
            sessions: [("https://acme.awsapps.com/start", 600, true)]
        ),
        StoreSample(
            store: "aws-sso",
            path: ".aws/sso/cache/botocore-client-id-eu-central-1.json",
            text: #"{"clientId": "c", "clientSecret": "s", "expiresAt": "2027-04-15T08:00:00Z"}"#,
            sessions: []
        ),
        StoreSample(
            store: "aws",
            path: ".aws/credentials",
            text: """
                [default]
                aws_access_key_id = AKIAEXAMPLE
                aws_secret_access_key = secret
                [saml]
                aws_session_token = FwoGZXIvYXdzEBYaD
                x_security_token_expires = 2027-01-15T09:00:00+01:00
                """,
            sessions: [("saml", 0, false)]
        ),
        StoreSample(
            store: "azure",
            path: ".azure/msal_token_cache.json",
            text: """
                {"AccessToken": {"u.t-login.microsoftonline.com-accesstoken-c-t-https://graph": {
                "home_account_id": "u.t", "environment": "login.microsoftonline.com", "client_id": "c",
                "secret": "opaque-access-token", "expires_on": "1800003600"}},
                "RefreshToken": {"u.t-login.microsoftonline.com-refreshtoken-1--": {
                "home_account_id": "u.t", "secret": "0.AXoA-refresh-token"}},
                "IdToken": {"u.t-login.microsoftonline.com-idtoken-c-t-": {"home_account_id": "u.t",
                "secret": "\(token(#"{"preferred_username":"ada@example.com"}"#))"}}}
                """,
            sessions: [("ada@example.com", 3_600, true)]
        ),
        StoreSample(
            store: "gcloud",
            path: ".config/gcloud/application_default_credentials.json",
            text: """
                {"account": "", "client_id": "764086051850.apps.googleusercontent.com",
                "client_secret": "d-FL95Q19q7MQ", "refresh_token": "1//rtFm0WmJMgsWuhHGH",
                "type": "authorized_user", "universe_domain": "googleapis.com"}
                """,
            sessions: [("application_default_credentials", nil, true)]
        ),
        StoreSample(
            store: "kubernetes",
            path: ".kube/config",
            text: """
                apiVersion: v1
                users:
                - name: dev
                  user:
                    auth-provider:
                      name: oidc
                      config:
                        id-token: "\(token(#"{"exp":1800000060}"#))"
                        refresh-token: kube-refresh-token
                        idp-issuer-url: https://auth.example.com
                - name: robot
                  user: {token: static-service-token}
                - name: cert
                  user:
                    client-certificate-data: LS0t
                """,
            sessions: [("dev", 60, true), ("robot", nil, false)]
        ),
        StoreSample(
            store: "kubernetes",
            path: ".kube/gke_gcloud_auth_plugin_cache",
            text: """
                {"current_context": "gke_acme_europe-west1_main", "access_token": "ya29.R6yYpGLrPOR",
                "token_expiry": "2027-01-15T08:05:00Z", "extra_args": ""}
                """,
            sessions: [("gke_acme_europe-west1_main", 300, false)]
        ),
        StoreSample(
            store: "github",
            path: ".config/gh/hosts.yml",
            text: """
                github.com:
                    users:
                        octocat:
                            oauth_token: gho_16C7e42F292c6912E7710c838347Ae178B4a
                        monalisa:
                            oauth_token: gho_26C7e42F292c6912E7710c838347Ae178B4a
                    git_protocol: https
                    oauth_token: gho_16C7e42F292c6912E7710c838347Ae178B4a
                    user: octocat
                """,
            sessions: [("octocat", nil, false), ("monalisa", nil, false)]
        ),
        StoreSample(
            store: "docker",
            path: ".docker/config.json",
            text: """
                {"auths": {"registry.example.com": {"auth": "YWRhOnNlY3JldC1vZi1hZGE="},
                "registry.example.net": {"auth": "YWRhOg==", "identitytoken": "0123456789abcdef"},
                "registry.example.org": {}}, "credsStore": "pass"}
                """,
            sessions: [
                ("registry.example.com", nil, false), ("registry.example.net", nil, true),
                ("registry.example.org", nil, false),
            ]
        ),
        StoreSample(
            store: "amazon-kiro",
            path: ".aws/sso/cache/kiro-auth-token.json",
            text: """
                {"accessToken": "aoa-kiro-access", "refreshToken": "aor-kiro-refresh",
                "expiresAt": "2027-01-15T08:30:00.000Z", "authMethod": "social", "provider": "Google"}
                """,
            sessions: [("Google", 1_800, true)]
        ),
        StoreSample(
            store: "cloudfoundry",
            path: ".cf/config.json",
            text: """
                {"Target": "https://api.cf.example", "UAAOAuthClient": "cf", "RefreshToken": "cf-refresh-token",
                "AccessToken": "bearer \(token(#"{"email":"ada@example.com","exp":1800000600}"#))"}
                """,
            sessions: [("ada@example.com", 600, true)]
        ),
        StoreSample(
            store: "codex",
            path: ".codex/auth.json",
            text: """
                {"OPENAI_API_KEY": null, "tokens": {"account_id": "0e1f0e1f-0000-4000-8000-0123456789ab",
                "access_token": "\(token(#"{"exp":1800000600}"#))", "refresh_token": "codex-refresh",
                "id_token": "\(token(#"{"email":"ada@example.com","exp":1799990000}"#))"}}
                """,
            sessions: [("ada@example.com", 600, true)]
        ),
        StoreSample(
            store: "qwen",
            path: ".qwen/oauth_creds.json",
            text: """
                {"access_token": "qwen-access", "refresh_token": "qwen-refresh", "token_type": "Bearer",
                "resource_url": "portal.qwen.ai", "expiry_date": 1800000900000}
                """,
            sessions: [(nil, 900, true)]
        ),
        StoreSample(
            store: "snyk",
            path: ".config/configstore/snyk.json",
            text: #"""
                {"INTERNAL_OAUTH_TOKEN_STORAGE": "{\"access_token\":\"snyk-access\",\"token_type\":\"bearer\",\"refresh_token\":\"snyk-refresh\",\"expiry\":\"2027-01-15T09:10:00+01:00\"}",
                "INTERNAL_SNYK_OAUTH_ENABLED": "1"}
                """#,
            sessions: [(nil, 600, true)]
        ),
        StoreSample(
            store: "docker",
            path: "run/containers/auth.json",
            text: #"{"auths": {"quay.example": {"auth": "YWRhOnNlY3JldC1vZi1hZGE="}}}"#,
            sessions: [("quay.example", nil, false)]
        ),
        StoreSample(
            store: "npm",
            path: ".npmrc",
            text: """
                registry=https://registry.npmjs.org/
                //registry.npmjs.org/:_authToken=npm_0123456789abcdef
                //npm.example.com/:_auth=YWRhOnNlY3JldC1vZi1hZGE=
                """,
            sessions: [("registry.npmjs.org", nil, false), ("npm.example.com", nil, false)]
        ),
        StoreSample(
            store: "firebase",
            path: ".config/configstore/firebase-tools.json",
            text: """
                {"user": {"email": "ada@example.com"}, "tokens": {"expires_at": 1800000100000,
                "refresh_token": "1//0refresh", "access_token": "ya29.access"}}
                """,
            sessions: [("ada@example.com", 100, true)]
        ),
        StoreSample(
            store: "mcp-remote",
            path: ".mcp-auth/mcp-remote-0.1.29/ab12_tokens.json",
            text:
                #"{"access_token": "mcp-access", "refresh_token": "mcp-refresh", "expires_in": 900}"#,
            sessions: [("ab12_tokens", 900, true)]
        ),
        StoreSample(
            store: "claude",
            path: ".claude/.credentials.json",
            text: """
                {"claudeAiOauth": {"accessToken": "sk-ant-oat01-a", "refreshToken": "sk-ant-ort01-b",
                "expiresAt": 1800000300000, "subscriptionType": "team"},
                "mcpOAuth": {"linear|1": {"serverName": "linear", "serverUrl": "https://mcp.example.com",
                "accessToken": "mcp-access-token", "expiresAt": 1799999000000}}}
                """,
            sessions: [("team", 300, true), ("linear", -1_000, false)]
        ),
        StoreSample(
            store: "rclone",
            path: ".config/rclone/rclone.conf",
            text: """
                [drive]
                type = drive
                token = {"access_token":"ya29.rclone","refresh_token":"1//rclone","expiry":"2027-01-15T09:30:00.5+01:00"}
                [local]
                type = local
                """,
            sessions: [("drive", 1_800.5, true)]
        ),
        StoreSample(
            store: "wrangler",
            path: ".config/.wrangler/config/default.toml",
            text: """
                oauth_token = "wrangler-access"
                expiration_time = "2027-01-15T08:00:30.000Z"
                refresh_token = "wrangler-refresh"
                scopes = [ "account:read" ]
                """,
            sessions: [(nil, 30, true)]
        ),
        StoreSample(
            store: "databricks",
            path: ".databrickscfg",
            text: """
                [DEFAULT]
                host = https://dbc-1.cloud.databricks.com
                token = dapi0123456789abcdef
                [by-login]
                host = https://dbc-2.cloud.databricks.com
                auth_type = databricks-cli
                """,
            sessions: [("DEFAULT", nil, false)]
        ),
        StoreSample(
            store: "netrc",
            path: ".netrc",
            text: "machine api.example.com login ada password 0123456789abcdef\n",
            sessions: [("ada", nil, false)]
        ),
        StoreSample(
            store: "git",
            path: ".git-credentials",
            text: """
                https://ada:ghp_0123456789@git.example.com

                https://git.example.org
                https://ada%40example.com:0123456789%2f%2b@git.example.net
                """,
            sessions: [("ada", nil, false), ("ada@example.com", nil, false)]
        ),
        StoreSample(
            store: "uv",
            path: ".local/share/uv/credentials/credentials.toml",
            text: """
                [[credential]]
                service = "https://pypi.example.com/"
                username = "__token__"
                scheme = "basic"
                password = "pypi-0123456789abcdef"
                """,
            sessions: [("https://pypi.example.com/", nil, false)]
        ),
        StoreSample(
            store: "huggingface",
            path: ".cache/huggingface/stored_tokens",
            text: """
                [ci]
                hf_token = hf_zyxwvutsrqponmlkjihgfedcba

                [laptop]
                hf_token = hf_abcdefghijklmnopqrstuvwxyz

                """,
            sessions: [("ci", nil, false), ("laptop", nil, false)]
        ),
        StoreSample(
            store: "vault",
            path: ".vault-token",
            text: "hvs.CAESIJ0123456789\n",
            sessions: [(nil, nil, false)]
        ),
    ]
}
