import Profiles
import Testing

@Suite("A malformed profile")
struct MalformedProfileTests {
    @Test("is refused with file, line, key and the way out", arguments: whole + exchanges + kept)
    func refused(mistake: ProfileMistake) {
        let error = #expect(throws: DialectError.self) {
            try Profile.extending(lines: mistake.text, files: mistake.files)
        }
        #expect(error?.description == mistake.message)
    }

    @Test("there are thirty of them at least, each told otherwise")
    func thirty() {
        let all = Self.whole + Self.exchanges + Self.kept
        #expect(all.count >= 30)
        #expect(Set(all.map(\.message)).count == all.count)
    }

    /// About the file as a whole, and what it extends.
    static let whole = [
        ProfileMistake("", "mine.toml:1: login: missing"),
        ProfileMistake(
            "extends = oauth2",
            "mine.toml:1: not TOML: \"oauth2\" is not a value, "
                + "expected text in quotes, a number, true or false"
        ),
        ProfileMistake(
            "extends = \"oauth2\"\nextends = \"voltyks\"",
            "mine.toml:2: not TOML: \"extends\" is already defined"
        ),
        ProfileMistake(
            "extends = \"oauth\"",
            "mine.toml:1: extends: there is no \"oauth\", the nearest known one is oauth2"
        ),
        ProfileMistake(
            "extends = [\"oauth2\"]",
            "mine.toml:1: extends: found a list, expected text in quotes"
        ),
        ProfileMistake(
            "extend = \"oauth2\"",
            "mine.toml:1: extend: unknown key \"extend\", the nearest known one is extends"
        ),
        ProfileMistake(
            "\nextends = \"mine\"",
            "mine.toml:2: extends: leads back to itself: mine.toml → mine.toml"
        ),
        ProfileMistake(
            "extends = \"team\"",
            "profiles/team.toml:2: extends: leads back to itself: mine.toml → "
                + "profiles/team.toml → mine.toml",
            files: ["team": "# ours\nextends = \"mine\""]
        ),
        ProfileMistake(
            "extends = \"team\"",
            "profiles/team.toml:3: refresh.token_in: unknown place \"bearers\", expected one of bearer, "
                + "json:KEY, form:KEY, header:NAME, cookie:NAME, query:NAME",
            files: ["team": "extends = \"oauth2\"\n[refresh]\ntoken_in = \"bearers\""]
        ),
        ProfileMistake(
            "name = \"My API\"\nextends = \"oauth2\"",
            "mine.toml:1: name: found \"My API\", expected small letters, digits and hyphens"
        ),
        ProfileMistake(
            "disable = \"feed\"",
            "mine.toml:1: disable: nothing is inherited, expected extends"
        ),
        ProfileMistake(
            "extends = \"oauth2\"\ndisable = [\"error_message\", \"logout.thi\"]",
            "mine.toml:2: disable.1: oauth2.toml has no \"logout.thi\", "
                + "the nearest inherited one is logout.this"
        ),
        ProfileMistake(
            "extends = \"oauth2\"\ngrant = \"passwrd\"",
            "mine.toml:2: grant: unknown grant \"passwrd\", "
                + "expected one of authorization_code, client_credentials, device_code, "
                + "jwt_bearer, password, refresh_token, token_exchange"
        ),
        ProfileMistake(
            "extends = \"oauth2\"\ngrant = true",
            "mine.toml:2: grant: found true, "
                + "expected one of authorization_code, client_credentials, device_code, "
                + "jwt_bearer, password, refresh_token, token_exchange"
        ),
        ProfileMistake(
            "extends = \"voltyks\"\ngrant = \"password\"",
            "mine.toml:2: grant: there are no grants to choose from, expected [grants] in the dialect"
        ),
    ]

    /// About what is sent and what comes back.
    static let exchanges = [
        ProfileMistake(
            "extends = \"oauth2\"\nheaders = { authorization = \"x\" }",
            "mine.toml:2: headers: authorization is the place of a token or of the client's Basic"
        ),
        ProfileMistake(
            "extends = \"oauth2\"\nclient_auth = \"header\"",
            "mine.toml:2: client_auth: found \"header\", expected one of none, basic, body, public, "
                + "private_key_jwt, client_secret_jwt"
        ),
        ProfileMistake(
            "extends = \"oauth2\"\n[refresh]\ntoken_in = \"bearer\"",
            "mine.toml:3: refresh.token_in: the place of the client's Basic, "
                + "expected client_auth = \"body\", or another place"
        ),
        ProfileMistake(
            "extends = \"oauth2\"\n[refresh]\ntoken_in = \"json:refresh_token\"\nbody = \"form\"",
            "mine.toml:3: refresh.token_in: the token needs a json body, and this one is form"
        ),
        ProfileMistake(
            "extends = \"oauth2\"\n[login.fields]\nclient_secret = \"s3cr3t\"",
            "mine.toml:3: login.fields.client_secret: a secret, which must not be in a file, "
                + "expected a placeholder such as {client_secret}"
        ),
        ProfileMistake(
            "extends = \"oauth2\"\nlogin.fields.scope = \"{scope}\"",
            "mine.toml:2: login.fields.scope: unknown credential {scope}, "
                + "expected one of {username}, {password}, {client_id}, {client_secret}"
        ),
        ProfileMistake(
            "extends = \"oauth2\"\n[login]\nrequest = \"POST /token?Password=x\"",
            "mine.toml:3: login.request: the query would contain \"Password\", "
                + "expected it in the body or a header, since paths are shown"
        ),
        ProfileMistake(
            "extends = \"bitbasel\"\nfeed.path = \"/ws?token=x\"",
            "mine.toml:2: feed.path: the query would contain \"token\", "
                + "expected it in the body or a header, since paths are shown"
        ),
        ProfileMistake(
            "extends = \"bitbasel\"\nfeed.path = \"/ws?v=1\"\nfeed.since = \"v\"",
            "mine.toml:3: feed.since: \"v\" is also in the path's query"
        ),
        ProfileMistake(
            "extends = \"oauth2\"\n\n[login.response]\nacces = \"token\"",
            "mine.toml:4: login.response.acces: unknown key \"acces\", "
                + "the nearest known one is access"
        ),
        ProfileMistake(
            "extends = \"oauth2\"\n[refresh.response]\naccess_expires = \"unix_ms:expires\"",
            "mine.toml:3: refresh.response.access_expires: unknown expiry \"unix_ms:expires\", "
                + "expected one of seconds:KEY, seconds_unless_zero:KEY, milliseconds:KEY, "
                + "unix_seconds:KEY, unix_milliseconds:KEY, iso8601:KEY, http_date:KEY, "
                + "cookie:NAME, jwt"
        ),
        ProfileMistake(
            "extends = \"oauth2\"\n[[refresh.terminal]]\nstatus = [401, 429]",
            "mine.toml:3: refresh.terminal.0.status: 429 is never a verdict on a token"
        ),
        ProfileMistake(
            "extends = \"oauth2\"\n[protected]\nexpired = \"403\"",
            "mine.toml:3: protected.expired: found \"403\", expected a number from 100 to 599"
        ),
        ProfileMistake(
            "extends = \"oauth2\"\n[protected]\nnot_expired_errors = \"invalid_token\"",
            "mine.toml:3: protected.not_expired_errors: "
                + "\"invalid_token\" cannot both end a token and keep it"
        ),
        ProfileMistake(
            "extends = \"oauth2\"\n[feed]\npath = \"ws/feed\"\ntoken_in = \"query:token\"",
            "mine.toml:3: feed.path: \"ws/feed\" is not a path, "
                + "expected one that begins with a slash, or a whole URL"
        ),
    ]

    /// About where the backend is, and how the session is kept.
    static let kept = [
        ProfileMistake(
            "extends = \"oauth2\"\nbase_url = \"api.example.com\"",
            "mine.toml:2: base_url: not the URL of a backend, "
                + "expected one such as https://api.example.com"
        ),
        ProfileMistake(
            "extends = \"oauth2\"\nbase_url = \"https://me:s3cr3t@api.example.com\"",
            "mine.toml:2: base_url: holds \"@\", "
                + "expected one such as https://api.example.com: no user, no query"
        ),
        ProfileMistake(
            "extends = \"oauth2\"\nvault = \"keyring\"",
            "mine.toml:2: vault: unknown vault \"keyring\", "
                + "expected one of memory, file, helper:NAME"
        ),
        ProfileMistake(
            "extends = \"oauth2\"\nvault = \"helper:../x\"",
            "mine.toml:2: vault: found \"helper:../x\", expected a name such as helper:pass"
        ),
        ProfileMistake(
            "extends = \"oauth2\"\nretention = \"a month\"",
            "mine.toml:2: retention: found \"a month\", "
                + "expected a time such as 90s, 30m, 12h or 7d, at most 3650d"
        ),
        ProfileMistake(
            "extends = \"oauth2\"\npins = [\"sha256/AAAA\"]",
            "mine.toml:2: pins.0: \"sha256/AAAA\" is not a pin, "
                + "expected sha256/ and the Base64 of 32 bytes"
        ),
        ProfileMistake(
            "extends = \"oauth2\"\nclient_certificate = \"me.pem\"",
            "mine.toml:2: client_certificate: found \"me.pem\", "
                + "expected a path that begins with / or ~/"
        ),
        ProfileMistake(
            "extends = \"oauth2\"\nclient_key = \"/me.key\"",
            "mine.toml:2: client_key: a key without its certificate, "
                + "expected client_certificate as well"
        ),
        ProfileMistake(
            "extends = \"oauth2\"\n[policy]\nrenew = \"always\"",
            "mine.toml:3: policy.renew: found \"always\", expected one of refresh, login"
        ),
        ProfileMistake(
            "extends = \"oauth2\"\n[policy]\nlead_time = \"5m\"",
            "mine.toml:3: policy.lead_time: unknown key \"lead_time\", "
                + "the nearest known one is lead"
        ),
        ProfileMistake(
            "extends = \"oauth2\"\n[credentials]\npassword = \"s3cr3t\"",
            "mine.toml:3: credentials.password: a credential, which must not be in a file, "
                + "expected password_command = [\"program\", \"argument\"]"
        ),
        ProfileMistake(
            "extends = \"oauth2\"\n[credentials]\npasswort_command = [\"pass\"]",
            "mine.toml:3: credentials.passwort_command: unknown key \"passwort_command\", "
                + "the nearest known one is password_command"
        ),
        ProfileMistake(
            "extends = \"oauth2\"\n[credentials]\npassword_command = \"pass show x\"",
            "mine.toml:3: credentials.password_command: found \"pass show x\", "
                + "expected a list such as [\"pass\", \"show\", \"name\"]"
        ),
        ProfileMistake(
            "extends = \"oauth2\"\n[credentials]\npassword_command = []",
            "mine.toml:3: credentials.password_command: names no program, "
                + "expected it as the first element"
        ),
    ]

    @Test(
        "a mistake that shows in a built-in dialect is told of the user's own line, or what to add",
        arguments: [
            ProfileMistake(
                "extends = \"bitbasel\"\n[login]\ncredentials = [\"email\"]",
                "mine.toml:3: login.credentials: unknown credential {identity_token} (in the "
                    + "built-in bitbasel.toml: login.fields.identity_token), "
                    + "expected one of {email}, {client_id}"
            ),
            ProfileMistake(
                "extends = \"bitbasel\"\n[capture]\nidentity_token = \"cookie:csrf\"",
                "mine.toml:3: capture.identity_token: {identity_token} is a credential, "
                    + "expected another name"
            ),
            ProfileMistake(
                "extends = \"oauth2\"\nrefresh.body = \"json\"",
                "mine.toml:2: refresh.body: the token needs a form body, and this one is json (in "
                    + "the built-in oauth2.toml: refresh.token_in)"
            ),
            ProfileMistake(
                "extends = \"oauth2\"\ndisable = \"login.request\"",
                "mine.toml:2: disable: missing (in the built-in oauth2.toml: login.request)"
            ),
            ProfileMistake(
                "extends = \"team\"",
                "mine.toml: refresh.token_in: the token needs a form body, and this one is json (in "
                    + "the built-in oauth2.toml: refresh.token_in), expected refresh.token_in in "
                    + "this file",
                files: ["team": "extends = \"oauth2\"\nrefresh.body = \"json\""]
            ),
        ]
    )
    func inherited(mistake: ProfileMistake) {
        let error = #expect(throws: DialectError.self) {
            try Profile.extending(lines: mistake.text, files: mistake.files)
        }
        #expect(error?.description == mistake.message)
    }
}
