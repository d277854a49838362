import Basics
import Testing

@testable import Profiles

@Suite("The registration of a client")
struct RegistrationTests {
    private static func dialect(_ lines: String = "client_auth = \"public\"") throws -> Dialect {
        try Dialect.oauth2(
            """
            grant = "authorization_code"
            login.authorize.scope = "read offline_access"
            login.authorize.redirect_port = 4711
            registration.request = "POST /register"
            \(lines)
            """
        )
    }

    private static func answer(_ body: String, status: Int = 201) -> WireResponse {
        WireResponse(status: status, headers: [.json], body: Array(body.utf8))
    }

    @Test(
        "states the redirect, the grants, the scope, and how the client authenticates",
        arguments: [
            ("public", "none"), ("basic", "client_secret_basic"), ("body", "client_secret_post"),
        ]
    )
    func request(method: String, name: String) throws {
        let dialect = try Self.dialect("client_auth = \"\(method)\"")
        #expect(dialect.registersClient)
        let request = try #require(dialect.registrationRequest())
        #expect(request.method == "POST" && request.target == "/register")
        #expect(request.header("Content-Type") == "application/json")
        let body = try #require(JSONValue(parsing: request.body))
        #expect(
            body == [
                "client_name": "authtop", "response_types": ["code"],
                "grant_types": ["authorization_code", "refresh_token"],
                "redirect_uris": ["http://127.0.0.1:4711/callback"],
                "scope": "read offline_access", "token_endpoint_auth_method": .string(name),
            ]
        )
    }

    @Test("states what the profile says in place of its own")
    func fields() throws {
        let lines = "client_auth = \"public\"\nregistration.fields.client_name = \"mine\""
        let request = try #require(try Self.dialect(lines).registrationRequest())
        #expect(JSONValue(parsing: request.body)?["client_name"] == "mine")
    }

    @Test("is not needed for a client whose id the profile names, nor without an endpoint")
    func needless() throws {
        #expect(try !Self.dialect("client_auth = \"public\"\nclient_id = \"app\"").registersClient)
        let lines = "grant = \"authorization_code\"\nclient_auth = \"public\""
        #expect(try !Dialect.oauth2(lines).registersClient)
    }

    @Test("brings the id, and the secret of a client that has one, until it ends")
    func registered() throws {
        let body = """
            {"client_id": "c1", "client_secret": "s1", "client_secret_expires_at": 2000}
            """
        let client = try Self.dialect("client_auth = \"basic\"").readRegistration(Self.answer(body))
        #expect(client.credentials == ["client_id": Secret("c1"), "client_secret": Secret("s1")])
        #expect(!client.isOver(at: 1999) && client.isOver(at: 2000))
        let open = try Self.dialect().readRegistration(Self.answer(body))
        #expect(open.credentials == ["client_id": Secret("c1")] && !open.isOver(at: 1e12))
        let lasting = #"{"client_id": "c1", "client_secret": "s", "client_secret_expires_at": 0}"#
        let other = try Self.dialect("client_auth = \"body\"")
            .readRegistration(Self.answer(lasting))
        #expect(!other.isOver(at: 1e12))
    }

    @Test(
        "is needed again where the server says that it does not know the client",
        arguments: [
            (401, #"{"error": "invalid_client"}"#, true),
            (400, #"{"error": "invalid_client", "error_description": "gone"}"#, true),
            (401, #"{"error": "unauthorized_client"}"#, true),
            // It may mean anything else, or comes from a gateway.
            (400, #"{"error": "invalid_grant"}"#, false),
            (503, #"{"error": "invalid_client"}"#, false),
            (200, #"{"error": "invalid_client"}"#, false), (401, "invalid_client", false),
            (401, #"{"error": {"code": "invalid_client"}}"#, false),
        ]
    )
    func forgotten(status: Int, body: String, isForgotten: Bool) throws {
        let answer = Self.answer(body, status: status)
        let refusal = try Self.dialect().clientRefusal(in: answer, hiding: .none)
        #expect((refusal != nil) == isForgotten)
        if body.contains("gone") { #expect(refusal?.message == "gone") }
        let given = try Self.dialect("client_auth = \"public\"\nclient_id = \"app\"")
        #expect(given.clientRefusal(in: answer, hiding: .none) == nil)
    }

    private static let otherMethod =
        #"{"client_id": "c", "token_endpoint_auth_method": "private_key_jwt"}"#

    @Test(
        "that the profile cannot use is refused, with the reason",
        arguments: [
            (
                400, #"{"error": "invalid_redirect_uri"}"#, "public",
                RegistrationProblem.refused(status: 400, message: "invalid_redirect_uri")
            ),
            (403, "", "public", .refused(status: 403, message: nil)),
            (201, "[]", "public", .unreadable(message: nil)),
            (201, #"{"client_id": ""}"#, "public", .unreadable(message: nil)),
            (201, #"{"client_id": "c"}"#, "basic", .withoutSecret),
            (201, otherMethod, "public", .otherMethod("private_key_jwt")),
        ]
    )
    func refused(status: Int, body: String, method: String, problem: RegistrationProblem) throws {
        let dialect = try Self.dialect("client_auth = \"\(method)\"")
        #expect(throws: problem) {
            try dialect.readRegistration(Self.answer(body, status: status))
        }
    }

    @Test("is sent by POST only")
    func method() {
        let error = #expect(throws: DialectError.self) {
            try Dialect.oauth2("registration.request = \"GET /register\"")
        }
        #expect(error?.description.contains("registration.request: found the method") == true)
    }
}
