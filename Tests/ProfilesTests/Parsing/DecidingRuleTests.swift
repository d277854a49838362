import Basics
import Testing

@testable import Profiles

@Suite("What decided the meaning of an answer")
struct DecidingRuleTests {
    private static func response(
        _ status: Int,
        _ body: String,
        _ headers: [WireHeader] = []
    ) -> WireResponse {
        WireResponse(status: status, headers: headers, body: Array(body.utf8))
    }

    private static func dialect(_ name: String) throws -> Dialect {
        try #require(Dialect.builtIn().first { $0.name == name })
    }

    @Test("a rule of the profile that ends a session, with what it asks for")
    func terminal() throws {
        let decision = try Self.dialect("bitbasel").decideRefresh(
            Self.response(401, #"{"detail": "Invalid or expired refresh token"}"#)
        )
        #expect(decision.rule == .terminal(RuleCondition(statuses: [401], key: "detail")))
        guard case .refused(let refusal) = decision.meaning else {
            Issue.record("\(decision.meaning)")
            return
        }
        #expect(!refusal.isBare)
    }

    @Test("the same without the body that it asks for")
    func bare() throws {
        let decision = try Self.dialect("bitbasel").decideRefresh(Self.response(401, "<html>"))
        #expect(
            decision.rule
                == .terminal(RuleCondition(statuses: [401], key: "detail", isBare: true))
        )
    }

    @Test(
        "what holds for every backend, or that no rule applies",
        arguments: [
            (429, "{}", DecidingRule.Code.neverTerminal), (503, "{}", .neverTerminal),
            (200, "<html>", .unreadable), (418, "{}", .unlisted),
        ]
    )
    func others(status: Int, body: String, code: DecidingRule.Code) throws {
        let dialect = try Self.dialect("bitbasel")
        #expect(dialect.decideRefresh(Self.response(status, body)).rule.code == code)
    }

    @Test("of a protected request: the status, or the error in WWW-Authenticate")
    func protected() throws {
        let dialect = try Self.dialect("bitbasel")
        #expect(dialect.decideProtected(Self.response(401, "{}")).rule == .expired)
        #expect(dialect.decideProtected(Self.response(200, "{}")).rule == .success)
        #expect(dialect.decideProtected(Self.response(404, "{}")).rule == .unlisted)
        func challenge(_ error: String) -> DecidingRule {
            let header = WireHeader("WWW-Authenticate", "Bearer error=\"\(error)\"")
            return dialect.decideProtected(Self.response(403, "{}", [header])).rule
        }
        #expect(challenge("invalid_token") == .expiredError("invalid_token"))
        #expect(challenge("insufficient_scope") == .notExpiredError("insufficient_scope"))
    }
}
