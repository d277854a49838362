import Basics
import Testing

@testable import Profiles

@Suite("The resource that the tokens are for")
struct ResourceIndicatorTests {
    private static let url = "https://api.example.com/mcp"

    private static func dialect(_ lines: String) throws -> Dialect {
        try Dialect.oauth2("client_auth = \"public\"\nclient_id = \"app\"\n\(lines)")
    }

    /// The form of a request, by its names.
    private static func form(of request: WireRequest) -> [String: String] {
        FormEncoding.decode(String(decoding: request.body, as: UTF8.self))
    }

    @Test("is named in the browser's request, in that for tokens, and in a refresh")
    func everywhere() throws {
        let lines = "grant = \"authorization_code\"\nresource = \"\(Self.url)\""
        let dialect = try Self.dialect(lines)
        let attempt = try #require(
            try dialect.authorizationAttempt(
                at: "https://auth.example.com",
                redirectPort: 4711,
                credentials: [:],
                randomBytes: { [UInt8](repeating: 7, count: $0) }
            )
        )
        let asked = FormEncoding.decode(attempt.url.split(separator: "?").last ?? "")
        #expect(asked["resource"] == Self.url)
        let login = try dialect.loginRequest([:])
        #expect(Self.form(of: login)["resource"] == Self.url)
        let refresh = dialect.refreshRequest(RefreshToken(Secret("old")))
        #expect(Self.form(of: refresh)["resource"] == Self.url)
        #expect(Self.form(of: refresh)["refresh_token"] == "old")
    }

    @Test("is named in the request for a code that is entered on any device")
    func device() throws {
        let dialect = try Self.dialect("grant = \"device_code\"\nresource = \"\(Self.url)\"")
        let request = try #require(try dialect.deviceRequest([:]))
        #expect(Self.form(of: request)["resource"] == Self.url)
    }

    @Test("is in no request without the key")
    func none() throws {
        let dialect = try Self.dialect("grant = \"authorization_code\"")
        #expect(dialect.resource == nil)
        #expect(Self.form(of: try dialect.loginRequest([:]))["resource"] == nil)
        let refresh = dialect.refreshRequest(RefreshToken(Secret("old")))
        #expect(Self.form(of: refresh)["resource"] == nil)
    }

    @Test("of a request that names one itself is that one")
    func own() throws {
        let dialect = try Self.dialect(
            """
            grant = "authorization_code"
            resource = "\(Self.url)"
            login.authorize.request = "GET /authorize?resource=urn%3Aother"
            refresh.fields.resource = "urn:other"
            """
        )
        let refresh = dialect.refreshRequest(RefreshToken(Secret("old")))
        #expect(Self.form(of: refresh)["resource"] == "urn:other")
        #expect(Self.form(of: try dialect.loginRequest([:]))["resource"] == Self.url)
        #expect(dialect.login.authorization?.resource == nil)
    }

    @Test(
        "is refused if it is no URI, or has a fragment",
        arguments: ["", "api", "/mcp", ":mcp", "https://h/#top", "https://h/a b", "https://h/ü"]
    )
    func unusable(resource: String) {
        let lines = "grant = \"authorization_code\"\nresource = \"\(resource)\""
        let error = #expect(throws: DialectError.self) { try Self.dialect(lines) }
        #expect(error?.description.contains("resource: ") == true, "\(error as Any)")
    }

    @Test("is refused where a request for tokens is no form")
    func json() {
        let lines = """
            grant = "password"
            resource = "\(Self.url)"
            refresh.body = "json"
            refresh.token_in = "json:refresh_token"
            """
        let error = #expect(throws: DialectError.self) { try Self.dialect(lines) }
        #expect(error?.description.contains("expected body = \"form\"") == true, "\(error as Any)")
    }
}
