import Basics
import Testing

@testable import Profiles

@Suite("The sign-in on any device (RFC 8628)")
struct DeviceTests {
    private func dialect(_ lines: String = "") throws -> Dialect {
        let source = ProfileSource(
            name: "mine",
            text: """
                extends = "oauth2"
                grant = "device_code"
                client_auth = "public"
                client_id = "me"
                \(lines)
                """,
            file: "mine.toml"
        )
        return try Profile(source, known: []) { ProfileSource.builtIn($0) }.dialect
    }

    private func response(_ status: Int, _ body: String) -> WireResponse {
        WireResponse(status: status, body: Array(body.utf8))
    }

    @Test("the request for a code names the client and the scope")
    func request() throws {
        let dialect = try dialect("login.device.scope = \"openid mail\"")
        let request = try #require(try dialect.deviceRequest([:]))
        #expect(request.method == "POST")
        #expect(request.target == "/device_authorization")
        #expect(String(decoding: request.body, as: UTF8.self) == "client_id=me&scope=openid%20mail")
    }

    @Test("the login sends the code of the device as section 3.4 shows it")
    func login() throws {
        let request = try dialect().loginRequest(
            [:],
            grant: AuthorizationGrant(deviceCode: Secret("GmRhmhcxhwAzkoEqiMEg"))
        )
        #expect(
            String(decoding: request.body, as: UTF8.self)
                == "client_id=me&device_code=GmRhmhcxhwAzkoEqiMEg"
                + "&grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Adevice_code"
        )
    }

    @Test("the example of section 3.2 is read whole")
    func code() throws {
        let body = """
            {"device_code": "GmRhmhcxhwAzkoEqiMEg_DnyEysNkuNhszIySk9eS", "user_code": "WDJB-MJHT",
            "verification_uri": "https://example.com/device", "verification_uri_complete":
            "https://example.com/device?user_code=WDJB-MJHT", "expires_in": 1800, "interval": 5}
            """
        #expect(
            try dialect().decideDevice(response(200, body)).meaning
                == .issued(
                    DeviceAuthorization(
                        deviceCode: Secret("GmRhmhcxhwAzkoEqiMEg_DnyEysNkuNhszIySk9eS"),
                        userCode: "WDJB-MJHT",
                        verificationURI: "https://example.com/device",
                        completeURI: "https://example.com/device?user_code=WDJB-MJHT",
                        lifetime: 1800,
                        interval: 5
                    )
                )
        )
    }

    @Test(
        "an interval is never shorter than a second, and five without one",
        arguments: [
            ("", 5.0), (#", "interval": 0"#, 1), (#", "interval": -3"#, 1),
            (#", "interval": 7"#, 7),
        ]
    )
    func interval(member: String, seconds: Double) throws {
        let body = """
            {"device_code": "d", "user_code": "u", "verification_uri": "https://h/d"\(member)}
            """
        guard case .issued(let code) = try dialect().decideDevice(response(200, body)).meaning
        else {
            Issue.record("no code")
            return
        }
        #expect(code.interval == seconds)
    }

    @Test(
        "an answer without a code, or with an address that cannot be opened, is not usable",
        arguments: [
            "{}", #"{"device_code": "d"}"#, #"{"device_code": "d", "user_code": "u"}"#,
            #"{"device_code": "d", "user_code": "u", "verification_uri": "javascript:x"}"#,
            #"{"device_code": "d", "user_code": "u", "verification_uri": "https://h/\u001b[2J"}"#,
        ]
    )
    func unusable(body: String) throws {
        guard case .failed(.undecodable) = try dialect().decideDevice(response(200, body)).meaning
        else {
            Issue.record("usable: \(body)")
            return
        }
    }

    @Test(
        "each error of section 3.5 has its meaning, with this grant only",
        arguments: [
            ("authorization_pending", LoginResponse.authorizationPending(slowsDown: false)),
            ("slow_down", .authorizationPending(slowsDown: true)),
            ("expired_token", .authorizationEnded(.expired)),
            ("access_denied", .authorizationEnded(.denied(description: nil))),
            ("invalid_grant", .rejected(status: 400, message: "invalid_grant")),
        ]
    )
    func errors(error: String, meaning: LoginResponse) throws {
        let response = response(400, "{\"error\": \"\(error)\"}")
        #expect(try dialect().readLogin(response) == meaning)
        let password = try #require(Dialect.builtIn(named: "oauth2"))
        #expect(password.readLogin(response) == .rejected(status: 400, message: error))
    }

    @Test(
        "an error of section 3.5 has its meaning also with the status 200, unless there is a token",
        arguments: [
            ("authorization_pending", LoginResponse.authorizationPending(slowsDown: false)),
            ("slow_down", .authorizationPending(slowsDown: true)),
            ("expired_token", .authorizationEnded(.expired)),
            ("access_denied", .authorizationEnded(.denied(description: nil))),
        ]
    )
    func errorsWithSuccess(error: String, meaning: LoginResponse) throws {
        let refused = response(200, "{\"error\": \"\(error)\"}")
        #expect(try dialect().readLogin(refused) == meaning)
        let granted = response(200, "{\"error\": \"\(error)\", \"access_token\": \"a\"}")
        guard case .issued = try dialect().readLogin(granted) else {
            Issue.record("no token")
            return
        }
    }

    @Test("a sign-in cannot be both in a browser and on any device")
    func both() {
        #expect(throws: DialectError.self) {
            try dialect("login.authorize.request = \"GET /authorize\"")
        }
    }
}
