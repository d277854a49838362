import Backend
import Sandbox
import Testing

@testable import Basics
@testable import Profiles

@Suite("Sandbox: captured values")
struct CaptureTests {
    private let dialect: Dialect

    init() throws {
        let answer = """
            { access = "access", refresh = "cookie:refresh", refresh_expires = "cookie:refresh" }
            """
        dialect = try Dialect(
            toml: """
                name = "page"
                rotation = "always"
                [capture]
                csrf = "cookie:csrf_token"
                [login]
                request = "POST /login"
                credentials = ["username", "password"]
                fields = { username = "{username}", password = "{password}" }
                response = \(answer)
                [refresh]
                request = "POST /refresh"
                token_in = "cookie:refresh"
                headers = { X-CSRF-Token = "{csrf}", Cookie = "csrf_token={csrf}" }
                response = \(answer)
                terminal = [{ status = 401 }]
                [logout.this]
                request = "POST /logout"
                refresh_in = "cookie:refresh"
                headers = { X-CSRF-Token = "{csrf}", Cookie = "csrf_token={csrf}" }
                """,
            file: "page.toml"
        )
    }

    @Test("are issued with each pair, and demanded by what sends them again")
    func served() async throws {
        let dialect = dialect
        try await withSandbox(dialects: [dialect]) { sandbox in
            let tokens = try await sandbox.login(dialect)
            let token = try #require(tokens.refresh)
            let captured = CapturedValues(tokens.captured.values)
            let without = CapturedValues(["csrf": Secret("")])
            for (values, status) in [(without, 403), (captured, 200)] {
                let request = dialect.refreshRequest(token, captured: values)
                let response = try await sandbox.send(request, under: "/page")
                #expect(response.status == status)
                guard status == 200 else { continue }
                let renewed = try #require(dialect.readRefresh(response).tokens)
                #expect(renewed.captured.values["csrf"] != captured["csrf"])
                #expect(renewed.refreshEvidence.contains { $0.source == .cookieMaxAge })
                let logout = try #require(
                    dialect.logoutRequest(
                        .this,
                        refresh: renewed.refresh,
                        access: nil,
                        captured: CapturedValues(renewed.captured.values)
                    )
                )
                #expect(try await sandbox.send(logout, under: "/page").status == 204)
            }
        }
    }
}

extension RefreshResponse {
    fileprivate var tokens: IssuedTokens? {
        if case .issued(let tokens) = self { tokens } else { nil }
    }
}
