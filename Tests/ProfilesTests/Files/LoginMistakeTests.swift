import Profiles
import Testing

@Suite("Mistakes in the login")
struct LoginMistakeTests {
    @Test(
        "the line, the key and the way out are named",
        arguments: [
            Mistake(
                "name = \"mine\"\n[login]\ncredentials = []",
                "mine.toml:2: login.response: missing"
            ),
            Mistake(
                "name = \"mine\"\n[login]\nresponse = { access = \"token\" }",
                "mine.toml:2: login.request: missing"
            ),
            Mistake(
                "name = \"mine\"\n[login]\nrequest = \"POST /login\"\nresponse = {}",
                "mine.toml:4: login.response.access: missing"
            ),
            Mistake(
                Mistake.soundLogin.replacing("\"token\"", with: "\"header:X Access\""),
                "mine.toml:7: login.response.access: \"X Access\" cannot be a name, "
                    + "expected letters, digits and hyphens"
            ),
            Mistake(
                Mistake.soundLogin.replacing("\"token\"", with: "\"cookie:a;b\""),
                "mine.toml:7: login.response.access: \"a;b\" cannot be a name, "
                    + "expected letters, digits and hyphens"
            ),
            Mistake(
                Mistake.soundLogin.replacing("\"token\"", with: "\"header:Connection\""),
                "mine.toml:7: login.response.access: the connection sets the header Connection "
                    + "itself"
            ),
            Mistake(
                "name = \"mine\"\n[login]\nrequest = \"/login\"\nresponse = { access = \"token\" }",
                "mine.toml:3: login.request: found \"/login\", "
                    + "expected a method and a path such as POST /auth/refresh"
            ),
            Mistake(
                "name = \"mine\"\n[login]\nrequest = \"post /login\"\nresponse = { access = \"token\" }",
                "mine.toml:3: login.request: unknown method \"post\", "
                    + "expected one of DELETE, GET, PATCH, POST, PUT"
            ),
            Mistake(
                "name = \"mine\"\n[login]\nrequest = \"POST login\"\nresponse = { access = \"token\" }",
                "mine.toml:3: login.request: \"login\" is not a path, "
                    + "expected one that begins with a slash, or a whole URL"
            ),
            Mistake(
                "name = \"mine\"\n[login]\nrequest = \"POST /login#a\"\nresponse = { access = \"token\" }",
                "mine.toml:3: login.request: \"/login#a\" contains characters that a path cannot, "
                    + "expected no fragment, no space"
            ),
            Mistake(
                "name = \"mine\"\n[login]\nrequest = \"POST /login?a={b}\"\nresponse = { access = \"token\" }",
                "mine.toml:3: login.request: \"a={b}\" is not a query, "
                    + "expected NAME=VALUE, percent-encoded"
            ),
            Mistake(
                "name = \"mine\"\n[login]\nrequest = \"POST /login?\"\nresponse = { access = \"token\" }",
                "mine.toml:3: login.request: \"\" is not a query, "
                    + "expected NAME=VALUE, percent-encoded"
            ),
            Mistake(
                Mistake.soundLogin.replacing("\"{email}\"", with: "\"{mail}\""),
                "mine.toml:5: login.fields.email: unknown credential {mail}, "
                    + "expected one of {email}, {client_id}"
            ),
            Mistake(
                Mistake.soundLogin.replacing("[\"email\"]", with: "[\"email\", \"password\"]"),
                "mine.toml:4: login.credentials: the credential \"password\" is not used, "
                    + "expected {password} in fields"
            ),
            Mistake(
                Mistake.soundLogin.replacing(
                    "[\"email\"]",
                    with: "[\n  \"email\",\n  \"Pass Word\",\n]"
                ),
                "mine.toml:6: login.credentials.1: found \"Pass Word\", "
                    + "expected small letters, digits and underscores"
            ),
            Mistake(
                Mistake.soundLogin.replacing("\"token\"", with: "\"data..token\""),
                "mine.toml:7: login.response.access: \"data..token\" is not a key path, "
                    + "expected keys joined by dots, such as data.accessToken"
            ),
            Mistake(
                Mistake.soundLogin + "access_expires = \"minutes:ttl\"",
                "mine.toml:8: login.response.access_expires: unknown expiry \"minutes:ttl\", "
                    + "expected one of seconds:KEY, seconds_unless_zero:KEY, milliseconds:KEY, "
                    + "unix_seconds:KEY, unix_milliseconds:KEY, iso8601:KEY, http_date:KEY, "
                    + "cookie:NAME, jwt"
            ),
            Mistake(
                Mistake.soundLogin.replacing("POST", with: "GET"),
                "mine.toml:3: login.request: GET has no body, expected POST"
            ),
            Mistake(
                Mistake.soundLogin.replacing("credentials", with: "body = \"form\"\ncredentials")
                    .replacing(
                        "{ email = \"{email}\" }",
                        with: "{ user = { email = \"{email}\" } }"
                    ),
                "mine.toml:6: login.fields: \"user\" is nested, expected text or a number in a form"
            ),
            Mistake(
                Mistake.soundLogin.replacing(
                    "credentials",
                    with: "headers = { Host = \"x\" }\ncredentials"
                ),
                "mine.toml:4: login.headers.Host: the connection sets this header itself"
            ),
            Mistake(
                Mistake.soundLogin.replacing(
                    "credentials",
                    with: "headers = { X-A = \"a\\r\\nb\" }\ncredentials"
                ),
                "mine.toml:4: login.headers.X-A: a header value with a line break or outside ASCII"
            ),
        ]
    )
    func named(mistake: Mistake) {
        mistake.expectNamed()
    }
}
