import Testing

@testable import Basics
@testable import Profiles

@Suite("Recognition")
struct RecognitionTests {
    private static func adding(_ text: String) throws -> Recognition {
        try Recognition(adding: text, file: "recognition.toml")
    }

    @Test("the file that is part of the program is read, and has entries in every list")
    func builtIn() throws {
        let file = try TOMLReader.read(Recognition.builtInText, file: Recognition.fileName)
        #expect(try Self.adding("") !== Recognition.builtIn)
        #expect(Recognition.builtIn.count > 300)
        for list in RecognitionList.allCases {
            var item = file
            for key in list.rawValue.split(separator: ".") {
                guard case .table(let members) = item.value, let next = members[String(key)] else {
                    Issue.record("\(list.rawValue) is not in the file")
                    break
                }
                item = next
            }
        }
    }

    @Test(
        "a name is known in every spelling",
        arguments: ["access_token", "accessToken", "ACCESS-TOKEN", "access.token"]
    )
    func spellings(name: String) {
        let names = Recognition.builtIn.tokens
        #expect(names.role(ofKey: name) == .access)
        #expect(names.role(ofHeader: "X-\(name)") == .access)
        #expect(names.role(ofParameter: name) == .access)
    }

    @Test(
        "a form's field in brackets is named by the last of them",
        arguments: [
            ("user[password]", true), ("user[profile][pin]", true), ("password[]", true),
            ("password", true), ("user[name]", false), ("password[hint]", false), ("[]", false),
            ("]", false), ("user[password", false),
        ]
    )
    func fields(name: String, isCredential: Bool) {
        let strings = KeyedStrings(.object([name: "correct"]), by: .builtIn)
        #expect(strings.hasCredentials == isCredential)
    }

    private static let cookies: [(name: String, role: TokenRole?)] = [
        ("refresh_token", .refresh), ("my-id-token", .id), ("access", .access),
        ("connect.sid", .session), ("PHPSESSID", .session), ("auth", .session),
        ("author", nil), ("authors_session", .session), ("csrf_session", nil), ("_ga_session", nil),
        ("_hjSessionUser_1", nil), ("theme", nil), ("game_session", .session),
        ("wordpress_logged_in_5d41402a", .session), ("wordpress_test_cookie", nil),
    ]

    @Test("the name of a cookie says which token it holds", arguments: cookies)
    func cookie(name: String, role: TokenRole?) {
        let names = Recognition.builtIn.tokens
        #expect(names.role(ofCookie: name, value: Secret("0123456789abcdef")) == role)
        #expect(names.role(ofCookie: name, value: Secret("0123456789abcde")) == nil)
    }

    @Test("a lifetime has its unit by its name")
    func units() {
        let names = Recognition.builtIn.lifetimes
        #expect(names.lifetime(ofKey: "expiresIn")?.unit == .seconds)
        #expect(names.lifetime(ofKey: "refresh_expires_in")?.role == .refresh)
        #expect(names.lifetime(ofKey: "expires_in_ms")?.unit == .milliseconds)
        #expect(names.lifetime(ofKey: "expiresInMinutes")?.unit == .minutes)
        #expect(names.lifetime(ofKey: "expires_at") == nil)
    }

    @Test("a file of the user adds names, and takes none away")
    func additions() throws {
        let text = """
            [headers]
            access = ["Acme-Pass", "*-gate-key"]
            [lifetimes.milliseconds]
            access = "valid_for"
            """
        let recognition = try Self.adding(text)
        #expect(recognition.tokens.role(ofHeader: "X-Acme-Pass") == .access)
        #expect(recognition.tokens.role(ofHeader: "Acme-Gate-Key") == .access)
        #expect(recognition.tokens.role(ofHeader: "X-Auth-Token") == .access)
        #expect(recognition.lifetimes.lifetime(ofKey: "validFor")?.unit == .milliseconds)
        #expect(recognition.count == Recognition.builtIn.count + 3)
        #expect(Recognition.builtIn.tokens.role(ofHeader: "X-Acme-Pass") == nil)
    }

    @Test("a shape that names a list has what each file adds to that")
    func namedLists() throws {
        let recognition = try Self.adding(
            """
            [errors]
            ended = "over_and_out"
            [[refusals]]
            token = "access"
            status = 409
            codes = "ended"
            error = "gone_for_good"
            """
        )
        func refuses(_ status: Int, _ code: String, by recognition: Recognition) -> Bool {
            recognition.refusals.refused(by: AnswerTraits(status: status, errorCode: code))
                .contains(.access)
        }
        for code in ["over_and_out", "token_expired", "gone_for_good"] {
            #expect(refuses(409, code, by: recognition))
        }
        #expect(!refuses(409, "conflict", by: recognition))
        #expect(refuses(403, "over_and_out", by: recognition))
        #expect(!refuses(403, "over_and_out", by: .builtIn))
        #expect(refuses(403, "token_expired", by: .builtIn))
    }

    private static let mistakes: [(text: String, error: String)] = [
        (
            "[header]",
            "recognition.toml:1: header: unknown key \"header\", the nearest known one is headers"
        ),
        (
            "[keys]\naccess = [\n  \"a*b\",\n]",
            "recognition.toml:3: keys.access.0: \"a*b\", expected a * at the beginning or the end only"
        ),
        ("[keys]\naccess = \"\"", "recognition.toml:2: keys.access: \"\", expected a name"),
        ("[keys]\naccess = \"**\"", "recognition.toml:2: keys.access: \"**\", expected a name"),
        (
            "[keys]\naccess = [1]",
            "recognition.toml:2: keys.access.0: found the number 1, expected text in quotes"
        ),
        (
            "[secrets]\nparts = [\"pass*\"]",
            "recognition.toml:2: secrets.parts.0: \"pass*\", expected no *"
        ),
        (
            "[lifetimes.hours]\naccess = \"x\"",
            "recognition.toml:1: lifetimes.hours: unknown key \"hours\", expected one of "
                + "seconds, milliseconds, minutes"
        ),
        ("[[refusals]]\nstatus = 401", "recognition.toml:1: refusals.0.token: missing"),
        (
            "[[refusals]]\ntoken = \"refesh\"",
            "recognition.toml:2: refusals.0.token: found \"refesh\", expected one of access, refresh, "
                + "refresh_for_good, login, nothing"
        ),
        (
            "[[refusals]]\ntoken = \"access\"",
            "recognition.toml:1: refusals.0: a shape of every answer, expected one of status, grpc, "
                + "error, codes, challenge, body, absent, location, location_within, "
                + "empty"
        ),
        (
            "[[refusals]]\ntoken = \"access\"\ncodes = \"ends\"",
            "recognition.toml:3: refusals.0.codes: found \"ends\", expected one of ended"
        ),
        (
            "[[refusals]]\ntoken = \"access\"\nstatus = [401, 503]",
            "recognition.toml:3: refusals.0.status: 503 is never a verdict on a token"
        ),
        (
            "[[refusals]]\ntoken = \"access\"\nbody = \"x\"",
            "recognition.toml:3: refusals.0.body: found \"x\", expected a table, such as "
                + "{ error = \"invalid_token\" }"
        ),
        (
            "[[refusals]]\ntoken = \"access\"\nbody.a.b = 1.5",
            "recognition.toml:3: refusals.0.body.a.b: found the number 1.5, expected text, a whole "
                + "number, true or false"
        ),
        (
            "[[socket_refusals]]\nclose = 401",
            "recognition.toml:2: socket_refusals.0.close: found the number 401, expected a number "
                + "from 1000 to 4999"
        ),
    ]

    @Test("a mistake is reported with its file, line and key", arguments: mistakes)
    func mistake(text: String, error: String) {
        let found = #expect(throws: DialectError.self) { try Self.adding(text) }
        #expect(found?.description == error)
    }
}

@Suite("Shapes of refusals")
struct RefusalShapeTests {
    private static func refused(
        _ status: Int,
        _ json: JSONValue? = nil,
        error: String? = nil,
        challenges: Set<String> = [],
        isEmpty: Bool = false,
        location: String? = nil,
        adding text: String = ""
    ) throws -> Set<RefusedToken> {
        let recognition = try Recognition(adding: text, file: "recognition.toml")
        return recognition.refusals.refused(
            by: AnswerTraits(
                status: status,
                errorCode: error,
                challenges: challenges,
                json: json,
                isEmpty: isEmpty,
                location: location
            )
        )
    }

    @Test("a 401 refuses every token, but not for good; another scope refuses none")
    func statuses() throws {
        #expect(try Self.refused(401) == [.access, .refresh, .login])
        #expect(try Self.refused(403) == [.refresh, .login])
        #expect(try Self.refused(403, challenges: ["invalid_token"]).contains(.access))
        #expect(try Self.refused(403, challenges: ["insufficient_scope"]).isEmpty)
        #expect(try Self.refused(200).isEmpty)
        #expect(try Self.refused(404).isEmpty)
        #expect(try Self.refused(422) == [.login])
    }

    private static let bodies: [(refusal: JSONValue, token: RefusedToken, twin: JSONValue)] = [
        (
            ["errors": [["extensions": ["code": "UNAUTHENTICATED"]]], "data": .null], .access,
            ["errors": [["extensions": ["code": "UNAUTHENTICATED"]]], "data": ["me": 1]]
        ),
        (
            ["errors": [["message": "no"], ["extensions": ["code": "UNAUTHENTICATED"]]]], .access,
            ["errors": [["extensions": ["code": "FORBIDDEN"]]]]
        ),
        (
            ["ok": false, "error": "token_expired"], .access,
            ["ok": false, "error": "channel_not_found"]
        ),
        (["ok": false, "error": "invalid_auth"], .access, ["ok": true, "error": "invalid_auth"]),
        (["errcode": "M_UNKNOWN_TOKEN"], .access, ["errcode": "M_FORBIDDEN"]),
        (["errcode": "M_UNKNOWN_TOKEN"], .refreshForGood, ["errcode": "M_LIMIT_EXCEEDED"]),
    ]

    @Test(
        "what a body says counts with a status of success, too; its twin says nothing",
        arguments: bodies
    )
    func body(refusal: JSONValue, token: RefusedToken, twin: JSONValue) throws {
        #expect(try Self.refused(200, refusal).contains(token))
        #expect(try Self.refused(200, twin).isEmpty)
    }

    @Test(
        "the code of an error refuses a refresh token for good, whatever the status",
        arguments: ["invalid_grant", "bad_refresh_token", "refresh_token_already_used"]
    )
    func codes(code: String) throws {
        #expect(try Self.refused(200, error: code) == [.refreshForGood])
        #expect(try Self.refused(400, error: "invalid_request") == [.refresh, .login])
    }

    private static let added = """
        [[refusals]]
        token = "access"
        status = "3xx"
        location = ["*entry*", "gate-way"]

        [[refusals]]
        token = "access"
        status = 403
        empty = true

        [[refusals]]
        token = "access"
        body.error.message = "*token*"
        """

    private static let locations: [(location: String, isRefusal: Bool)] = [
        ("/entry", true), ("https://app.example.com/en/entry?next=%2Fitems", true),
        ("/gate_way#top", true), ("/items", false), ("/entry/items", false),
        ("https://gateway.example.com/x", true), ("https://example.com", false),
    ]

    @Test(
        "a redirect to a page of the user's file refuses, any other does not",
        arguments: locations
    )
    func redirect(location: String, isRefusal: Bool) throws {
        let refused = try Self.refused(302, location: location, adding: Self.added)
        #expect(refused == (isRefusal ? [.access] : []))
        #expect(try Self.refused(302, location: location).isEmpty)
    }

    @Test("a missing body and a pattern can be asked for")
    func others() throws {
        #expect(try Self.refused(403, isEmpty: true, adding: Self.added).contains(.access))
        #expect(try !Self.refused(403, isEmpty: false, adding: Self.added).contains(.access))
        let message: JSONValue = ["error": ["message": "Your TOKEN is over"]]
        #expect(try Self.refused(200, message, adding: Self.added) == [.access])
        #expect(try Self.refused(200, ["error": ["message": "no"]], adding: Self.added).isEmpty)
    }

    @Test("a socket's message or close code refuses, any other does not")
    func sockets() throws {
        let text = """
            [[socket_refusals]]
            text = "44*"
            body.message = ["jwt expired", "unauthorized"]

            [[socket_refusals]]
            text = "ERROR*"

            [[socket_refusals]]
            close = [4400, 4009]
            """
        let refusals = try Recognition(adding: text, file: "recognition.toml").refusals
        #expect(refusals.isRefusal(message: "44{}", ["message": "JWT expired"]))
        #expect(!refusals.isRefusal(message: "44{}", ["message": "room is full"]))
        #expect(!refusals.isRefusal(message: "42{}", ["message": "jwt expired"]))
        #expect(refusals.isRefusal(message: "ERROR\\nmessage:expired", nil))
        #expect(!refusals.isRefusal(message: "MESSAGE", nil))
        #expect(refusals.isRefusal(message: "", ["type": "auth_invalid", "message": "x"]))
        #expect(refusals.isRefusal(message: "", ["type": "authentication", "success": false]))
        #expect(!refusals.isRefusal(message: "", ["type": "authentication", "success": true]))
        #expect(!refusals.isRefusal(message: "", ["type": "auth_ok"]))
        #expect(refusals.isRefusal(closeCode: 4400))
        #expect(!refusals.isRefusal(closeCode: 1000))
        let appSync: JSONValue = [
            "type": "connection_error",
            "payload": ["errors": [["errorType": "UnauthorizedException"]]],
        ]
        #expect(Recognition.builtIn.refusals.isRefusal(message: "", appSync))
        #expect(!Recognition.builtIn.refusals.isRefusal(message: "", ["type": "connection_error"]))
    }
}
