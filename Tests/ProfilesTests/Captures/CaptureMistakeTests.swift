import Testing

@testable import Profiles

@Suite("A mistake with captured values")
struct CaptureMistakeTests {
    @Test(
        "is refused with file, line, key and what was expected",
        arguments: [
            Mistake(
                Mistake.refresh(
                    "token_in = \"bearer\"\nheaders = { X-CSRF = \"{crsf}\" }\n"
                        + "[refresh.response]\naccess = \"token\"\n[[refresh.terminal]]\n"
                        + "status = 401\n[capture]\ncsrf = \"cookie:csrf\""
                ),
                "mine.toml:11: refresh.headers.X-CSRF: unknown placeholder {crsf}, "
                    + "expected one of {client_id}, {csrf}"
            ),
            Mistake(
                Mistake.soundLogin.replacing("{email}", with: "{csrf}")
                    + "[capture]\ncsrf = \"cookie:csrf\"",
                "mine.toml:5: login.fields.email: {csrf} is captured from the answer to this "
                    + "request, expected it in a later one"
            ),
            Mistake(
                Mistake.soundLogin + "[protected]\nrequest = \"GET /users/{nmae}\"\n"
                    + "[capture]\nname = \"json:name\"",
                "mine.toml:9: protected.request: unknown placeholder {nmae}, expected one of {name}"
            ),
            Mistake(
                Mistake.soundLogin + "[capture]\nemail = \"cookie:csrf\"",
                "mine.toml:9: capture.email: {email} stands for something else, "
                    + "expected another name"
            ),
            Mistake(
                Mistake.soundLogin.replacing("email", with: "login_name")
                    + "[capture]\nlogin_name = \"cookie:csrf\"",
                "mine.toml:9: capture.login_name: {login_name} is a credential, "
                    + "expected another name"
            ),
            Mistake(
                Mistake.soundLogin + "[capture]\ncode = \"cookie:csrf\"",
                "mine.toml:9: capture.code: {code} stands for something else, "
                    + "expected another name"
            ),
            Mistake(
                Mistake.soundLogin + "[capture]\nX-CSRF = \"cookie:csrf\"",
                "mine.toml:9: capture.X-CSRF: found the name \"X-CSRF\", "
                    + "expected small letters, digits and underscores"
            ),
            Mistake(
                Mistake.soundLogin + "[capture]\ncsrf = \"body:csrf\"",
                "mine.toml:9: capture.csrf: unknown place \"body:csrf\", "
                    + "expected one of KEY.PATH, header:NAME, cookie:NAME"
            ),
            Mistake(
                "capture = \"csrf\"\n" + Mistake.soundLogin,
                "mine.toml:1: capture: found \"csrf\", expected names and places, "
                    + "such as csrf = \"cookie:csrf_token\""
            ),
            Mistake(
                Mistake.soundLogin + "[protected]\nrequest = \"GET /me\"\n"
                    + "retry_headers = { X-CSRF = \"{xsrf}\" }\n[capture]\ncsrf = \"cookie:csrf\"",
                "mine.toml:10: protected.retry_headers.X-CSRF: unknown placeholder {xsrf}, "
                    + "expected one of {csrf}"
            ),
            Mistake(
                Mistake.soundLogin + "[feed]\npath = \"/feed\"\ntoken_in = \"header:X-Token\"\n"
                    + "headers = { x-token = \"1\" }",
                "mine.toml:10: feed.token_in: X-Token is also among the fixed headers"
            ),
            Mistake(
                Mistake.soundLogin + "[feed]\npath = \"/feed\"\ntoken_in = \"query:token\"\n"
                    + "headers = { Sec-WebSocket-Protocol = \"1\" }",
                "mine.toml:11: feed.headers: "
                    + "the connection sets the header Sec-WebSocket-Protocol itself"
            ),
            Mistake(
                Mistake.soundLogin + "[protected]\nrequest = \"GET /me\"\n"
                    + "token_in = \"cookie:sid\"\nheaders = { Cookie = \"lang=en; sid=1\" }",
                "mine.toml:10: protected.token_in: the cookie sid is also among the fixed headers"
            ),
            Mistake(
                Mistake.soundLogin + "access_expires = \"cookie:access\"",
                "mine.toml:8: login.response.access_expires: \"cookie:access\" is not the place of "
                    + "the token, expected it only for a token in a cookie"
            ),
            Mistake(
                Mistake.soundLogin.replacing("\"token\"", with: "\"cookie:token\"")
                    + "access_expires = \"cookie:access\"",
                "mine.toml:8: login.response.access_expires: \"cookie:access\" is not the place of "
                    + "the token, expected \"cookie:token\""
            ),
        ]
    )
    func refused(mistake: Mistake) {
        mistake.expectNamed()
    }

    @Test("one that nothing sends is a warning, no mistake")
    func unused() throws {
        let profile = try Profile.extending(
            lines: """
                extends = "bitbasel"
                [capture]
                csrf = "cookie:csrf"
                device = "json:device"
                [protected]
                headers = { X-Device = "{device}" }
                """
        )
        #expect(
            profile.warnings.map(\.description) == [
                "mine.toml:3: capture.csrf: captured, and never sent, expected {csrf} in the "
                    + "headers, fields or path of a request"
            ]
        )
    }

    @Test("a credential in a header is used, and a sandbox finds it there")
    func credentialInHeader() throws {
        let text = Mistake.soundLogin.replacing(
            "fields = { email = \"{email}\" }",
            with: "headers = { X-Login = \"me {email}\" }"
        )
        let dialect = try Dialect(toml: text, file: "mine.toml")
        let request = try dialect.loginRequest(["email": Sample.credentials["email"]!])
        #expect(request.header("X-Login") == "me user@example.com")
        guard case .login(let credentials) = dialect.recognize(request) else {
            Issue.record("no login")
            return
        }
        #expect(credentials == ["email": Sample.credentials["email"]!])
    }
}
