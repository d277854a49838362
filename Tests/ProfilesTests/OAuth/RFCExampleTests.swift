import Basics
import Profiles
import Testing

@Suite("OAuth 2.0: the examples of its RFCs, letter by letter")
struct RFCExampleTests {
    static let credentials: [String: Secret] = [
        "username": Secret("johndoe"), "password": Secret("A3ddj3w"),
        "client_id": Secret("s6BhdRkqt3"), "client_secret": Secret("gX1fBat3bV"),
        "refresh_token": Secret("tGzv3JOkF0XG5Qx2TlKWIA"),
    ]
    static let refreshToken = RefreshToken(Secret("tGzv3JOkF0XG5Qx2TlKWIA"))

    @Test(
        "each grant is asked for as RFC 6749 shows it",
        arguments: [
            ("password", "grant_type=password&username=johndoe&password=A3ddj3w"),
            ("client_credentials", "grant_type=client_credentials"),
            (
                "refresh_token",
                "grant_type=refresh_token&refresh_token=tGzv3JOkF0XG5Qx2TlKWIA"
            ),
        ]
    )
    func grants(grant: String, body: String) throws {
        let dialect = try Dialect.oauth2("grant = \"\(grant)\"")
        let request = try dialect.loginRequest(Self.credentials)
        #expect(request.method == "POST" && request.target == "/token")
        #expect(request.header("Authorization") == "Basic czZCaGRSa3F0MzpnWDFmQmF0M2JW")
        #expect(request.header("Content-Type") == "application/x-www-form-urlencoded")
        #expect(Self.pairs(request) == Set(body.split(separator: "&")))
    }

    @Test("a refresh is RFC 6749 section 6, a revocation RFC 7009 section 2.1")
    func refreshAndRevocation() throws {
        let dialect = try Dialect.oauth2()
        let refresh = dialect.refreshRequest(Self.refreshToken, credentials: Self.credentials)
        #expect(refresh.header("Authorization") == "Basic czZCaGRSa3F0MzpnWDFmQmF0M2JW")
        #expect(
            Self.pairs(refresh)
                == ["grant_type=refresh_token", "refresh_token=tGzv3JOkF0XG5Qx2TlKWIA"]
        )
        let revocation = try #require(
            dialect.logoutRequest(
                .this,
                refresh: RefreshToken(Secret("45ghiukldjahdnhzdauz")),
                access: nil,
                credentials: Self.credentials
            )
        )
        #expect(revocation.target == "/revoke")
        #expect(revocation.header("Authorization") == "Basic czZCaGRSa3F0MzpnWDFmQmF0M2JW")
        #expect(
            Self.pairs(revocation)
                == ["token=45ghiukldjahdnhzdauz", "token_type_hint=refresh_token"]
        )
    }

    @Test("the client may prove itself in the body, as RFC 6749 section 2.3.1 shows it")
    func bodyAuthentication() throws {
        var credentials = Self.credentials
        credentials["client_secret"] = Secret("7Fjfp0ZBr1KtDRbnfVdmIw")
        let dialect = try Dialect.oauth2("client_auth = \"body\"")
        let request = dialect.refreshRequest(Self.refreshToken, credentials: credentials)
        #expect(request.header("Authorization") == nil)
        let body =
            "grant_type=refresh_token&refresh_token=tGzv3JOkF0XG5Qx2TlKWIA"
            + "&client_id=s6BhdRkqt3&client_secret=7Fjfp0ZBr1KtDRbnfVdmIw"
        #expect(Self.pairs(request) == Set(body.split(separator: "&")))
    }

    @Test("a client without a secret names itself only")
    func publicClient() throws {
        let dialect = try Dialect.oauth2("client_auth = \"public\"")
        #expect(dialect.credentials.map(\.name) == ["username", "password", "client_id"])
        let request = dialect.refreshRequest(Self.refreshToken, credentials: Self.credentials)
        #expect(request.header("Authorization") == nil)
        #expect(Self.pairs(request).contains("client_id=s6BhdRkqt3"))
        #expect(!Self.pairs(request).contains { $0.hasPrefix("client_secret") })
    }

    @Test("what Basic would read as a separator is encoded, and found again")
    func oddClient() throws {
        let dialect = try Dialect.oauth2("grant = \"client_credentials\"")
        let credentials = ["client_id": Secret("a:b c"), "client_secret": Secret("%:é+")]
        let request = try dialect.loginRequest(credentials)
        #expect(request.header("Authorization") == "Basic YSUzQWIlMjBjOiUyNSUzQSVDMyVBOSUyQg==")
        #expect(dialect.recognize(request) == .login(credentials: credentials))
    }

    @Test(
        "a token of a type that cannot be sent is not taken for one that can",
        arguments: [
            ("example", false), ("mac", false), ("DPoP", false), ("Bearer", true),
            ("bearer", true), ("Bearer ", true), ("BearerToken", true), ("jwt-bearer", true),
            ("token", true), ("JWT", true), ("N_A", true),
        ]
    )
    func tokenType(type: String, isTaken: Bool) throws {
        let dialect = try Dialect.oauth2()
        let answer = WireResponse(
            200,
            json: """
                {
                  "access_token":"2YotnFZFEjr1zCsicMWpAA",
                  "token_type":"\(type)",
                  "expires_in":3600,
                  "refresh_token":"tGzv3JOkF0XG5Qx2TlKWIA",
                  "example_parameter":"example_value"
                }
                """
        )
        let tokens = dialect.readLogin(answer).tokens
        #expect((tokens?.access == AccessToken(Secret("2YotnFZFEjr1zCsicMWpAA"))) == isTaken)
        #expect((tokens?.refresh == Self.refreshToken) == isTaken)
        // The refresh token may be one that replaces the last, and is kept.
        let refreshed = dialect.readRefresh(answer)
        guard !isTaken else {
            #expect(refreshed.tokens?.refresh == Self.refreshToken)
            return
        }
        let message =
            "a token of the type \"\(type)\", and only bearer tokens can be sent "
            + "without protected.scheme"
        let successor = RefreshSuccessor(
            refresh: Self.refreshToken,
            status: 200,
            message: message
        )
        #expect(refreshed == .refreshTokenOnly(successor))
        #expect(
            dialect.readLogin(answer) == .failed(.undecodable(status: 200, message: message))
        )
    }

    @Test(
        "a type that repeats a token of its answer is shown without it",
        arguments: ["2YotnFZFEjr1zCsicMWpAA", "tGzv3JOkF0XG5Qx2TlKWIA"]
    )
    func repeatedToken(token: String) throws {
        let dialect = try Dialect.oauth2()
        let answer = WireResponse(
            200,
            json: """
                {
                  "access_token":"2YotnFZFEjr1zCsicMWpAA",
                  "token_type":"mac \(token)",
                  "refresh_token":"tGzv3JOkF0XG5Qx2TlKWIA"
                }
                """
        )
        guard
            case .failed(.undecodable(status: 200, message: let message)) = dialect.readLogin(
                answer
            ),
            case .refreshTokenOnly(let successor) = dialect.readRefresh(answer)
        else {
            Issue.record("it is used, or lost")
            return
        }
        for text in [message, successor.message ?? ""] {
            #expect(text.contains("a token of the type \"mac "))
            #expect(!text.contains(token))
        }
    }

    private static func pairs(_ request: WireRequest) -> Set<Substring> {
        Set(String(decoding: request.body, as: UTF8.self).split(separator: "&"))
    }
}
