import Basics
import Foundation
import Testing

@testable import Profiles

@Suite("Sandbox answers: what the client makes of them")
struct SandboxResponseTests {
    @Test("every refusal of a refresh is told in every dialect", arguments: Dialect.builtIn())
    func refusals(dialect: Dialect) {
        for cause in RefreshRefusalCause.allCases {
            let response = dialect.answer(.refreshRefused(cause))
            #expect((400..<500).contains(response.status), "\(cause)")
            let answer = dialect.readRefresh(response)
            switch (cause, answer) {
            case (.missing, .failed(.clientFault)), (.missing, .refused): continue
            case (_, .refused(let refusal)):
                #expect(!refusal.isBare && refusal.message != nil, "\(cause)")
            case (_, .issued), (_, .refreshTokenOnly), (_, .failed):
                Issue.record("\(cause) is read as \(answer)")
            }
        }
    }

    @Test("login and refresh bring what was issued", arguments: Dialect.builtIn())
    func issued(dialect: Dialect) throws {
        let sample = Sample(dialect)
        let login = try #require(
            dialect.readLogin(dialect.answer(.loginIssued(sample.facts))).tokens
        )
        #expect(login.access == sample.access)
        #expect(login.refresh == sample.refresh)
        let refresh = dialect.readRefresh(dialect.answer(.refreshIssued(sample.facts)))
        #expect(refresh.tokens?.access == sample.access)
        #expect(refresh.tokens?.refresh == (dialect.name == "melchat" ? nil : sample.refresh))
    }

    @Test("an answer can leave the refresh token out", arguments: Dialect.builtIn())
    func withheld(dialect: Dialect) throws {
        var facts = Sample(dialect).facts
        facts.refresh = nil
        for answer in [BackendResponse.loginIssued(facts), .refreshIssued(facts)] {
            let response = dialect.answer(answer)
            #expect(JSONValue(parsing: response.body) != nil)
            let text = String(decoding: response.body, as: UTF8.self).lowercased()
            #expect(!text.contains("refresht") && !text.contains("refresh_t"))
        }
        let tokens = dialect.readRefresh(dialect.answer(.refreshIssued(facts))).tokens
        #expect(tokens?.access == facts.access)
        #expect(tokens?.refresh == nil)
    }

    @Test("the other answers are read as they are meant", arguments: Dialect.builtIn())
    func others(dialect: Dialect) throws {
        let user = BackendUser(id: 7, email: #"a"b@example.com"#, username: "\\")
        guard case .rejected = dialect.readLogin(dialect.answer(.loginRejected)) else {
            Issue.record("a rejected login is read otherwise")
            return
        }
        let content = dialect.answer(.protectedContent(user: user))
        #expect(dialect.readProtected(content) == .accepted)
        #expect(JSONValue(parsing: content.body) != nil)
        for cause in [UnauthorizedCause.expired, .invalid] {
            #expect(dialect.readProtected(dialect.answer(.unauthorized(cause))) == .tokenRejected)
        }
        for scope in LogoutScope.allCases {
            let answer = dialect.readLogout(dialect.answer(.loggedOut(scope)))
            guard case .acknowledged = answer else {
                Issue.record("\(scope) is read as \(answer)")
                continue
            }
        }
        // These guides end a session by any such answer.
        guard !["creatist", "intellipost", "voltyks"].contains(dialect.name) else { return }
        guard case .failed = dialect.readRefresh(dialect.answer(.malformed)) else {
            Issue.record("a malformed request ends a session")
            return
        }
    }

    @Test("a dialect without answers has some that it can read itself")
    func implied() throws {
        let dialect = try Dialect.sketch(
            answer: """
                success = "ok"
                access_expires = ["seconds:ttl", "iso8601:ends.access", "unix_seconds:exp"]
                refresh_expires = ["unix_milliseconds:ms", "http_date:ends.refresh"]
                subject = "user.id"
                display_name = "user.mail"
                """,
            terminal: "status = 400\nkey = \"code\"\nequals = [\"spent\", \"gone\"]",
            more: "[protected]\nrequest = \"GET /me\"\nexpired = 403"
        )
        let sample = Sample(dialect)
        let response = dialect.answer(.refreshIssued(sample.facts))
        let tokens = try #require(dialect.readRefresh(response).tokens)
        #expect(tokens.access == sample.access)
        #expect(tokens.refresh == sample.refresh)
        #expect(tokens.statements.subject == "123")
        #expect(tokens.statements.displayName == "user@example.com")
        #expect(tokens.accessEvidence.count == 4)
        #expect(tokens.refreshEvidence.count == 2)
        #expect(
            dialect.readRefresh(dialect.answer(.refreshRefused(.spent)))
                == .refused(Refusal(status: 400, message: "Not accepted"))
        )
        #expect(dialect.readProtected(dialect.answer(.unauthorized(.expired))) == .tokenRejected)
        #expect(dialect.readLogin(dialect.answer(.loginIssued(sample.facts))).tokens != nil)
        #expect(
            dialect.readLogin(dialect.answer(.loginRejected))
                == .rejected(status: 401, message: "Wrong credentials")
        )
    }

    @Test("implied tokens stand in a header or a cookie where the dialect has them there")
    func impliedHeaders() throws {
        let dialect = try Dialect(
            toml: Mistake.soundLogin.replacing(
                "access = \"token\"",
                with: """
                    access = "header:X-Access"
                    refresh = "cookie:refresh"
                    access_expires = "unix_seconds:header:X-Expires"
                    """
            ),
            file: "mine.toml"
        )
        var facts = Sample(dialect).facts
        let tokens = try #require(dialect.readLogin(dialect.answer(.loginIssued(facts))).tokens)
        #expect(tokens.access == facts.access)
        #expect(tokens.refresh == facts.refresh)
        let end = Date(timeIntervalSince1970: facts.issuedAt + facts.accessLifetime)
        #expect(tokens.accessEvidence.contains(.instant(end)))
        facts.refresh = nil
        #expect(dialect.answer(.loginIssued(facts)).header("Set-Cookie") == nil)
    }

    @Test("a gap in a header is filled, and the header left out when it cannot be")
    func headers() throws {
        let dialect = try Dialect.sketch(
            more: """
                [responses.refresh]
                headers = { Set-Cookie = "refresh={refresh}; HttpOnly" }
                body = '{"access": "{access}"}'
                """
        )
        var facts = Sample(dialect).facts
        facts.refresh = RefreshToken(Secret("r1"))
        #expect(
            dialect.answer(.refreshIssued(facts)).header("Set-Cookie") == "refresh=r1; HttpOnly"
        )
        facts.refresh = nil
        #expect(dialect.answer(.refreshIssued(facts)).header("Set-Cookie") == nil)
    }
}
