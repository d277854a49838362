import Basics
import Foundation
import Testing

@testable import Profiles

@Suite("Untrusted answers: nothing that a server sends does harm")
struct UntrustedResponseTests {
    private let dialects = Dialect.builtIn()

    @Test("a body of more than 1 MiB is not looked into")
    func tooLarge() throws {
        let body =
            #"{"access_token": "a", "more": ""#
            + String(repeating: "x", count: 1024 * 1024) + #""}"#
        let dialect = try #require(Dialect.builtIn(named: "creatist"))
        #expect(
            dialect.readRefresh(WireResponse(200, json: body))
                == .failed(
                    .undecodable(status: 200, message: "more than 1 MiB instead of a JSON object")
                )
        )
    }

    @Test(
        "deep nesting is refused",
        arguments: [
            String(repeating: "[", count: 500_000),
            String(repeating: #"{"a":"#, count: 100_000),
            String(repeating: "[", count: 1000) + String(repeating: "]", count: 1000),
        ]
    )
    func deep(body: String) {
        for dialect in dialects {
            guard case .failed(.undecodable) = dialect.readRefresh(WireResponse(200, json: body))
            else {
                Issue.record("\(dialect.name) reads it")
                continue
            }
            _ = dialect.readLogin(WireResponse(401, json: body))
        }
    }

    @Test(
        "wrong types are as good as absent",
        arguments: [
            "[]", "null", "true", "0", #""text""#, "{}", #"{"access_token": {}}"#,
            #"{"access_token": ["a"]}"#, #"{"access_token": 5}"#, #"{"access_token": null}"#,
            #"{"data": {"accessToken": {"a": 1}}, "status": true}"#, #"{"data": [1], "status": 1}"#,
            #"{"accessToken": true, "success": "yes"}"#, "{\"access_token\": \"a", "\u{0}", "{]",
            #"{"access_token": "\ud800"}"#,
        ]
    )
    func wrongTypes(body: String) {
        for dialect in dialects {
            let response = WireResponse(200, json: body)
            #expect(dialect.readRefresh(response).tokens == nil)
            #expect(dialect.readLogin(response).tokens == nil)
            _ = dialect.readProtected(response)
            _ = dialect.readSessions(response)
        }
    }

    @Test(
        "a token that cannot be sent in a header is no token",
        arguments: [
            ("access_token", "a\r\nX-Evil: 1"), ("access_token", "é"), ("access_token", "a\u{0}"),
            ("refresh_token", "a\nb"),
            ("access_token", String(repeating: "a", count: 64 * 1024 + 1)),
        ]
    )
    func unsendable(key: String, token: String) throws {
        let dialect = try #require(Dialect.builtIn(named: "intellipost"))
        var members: [String: JSONValue] = ["access_token": "a", "refresh_token": "r"]
        members[key] = .string(token)
        let response = WireResponse(200, json: JSONValue.object(members).serialized)
        guard case .failed(.undecodable(_, let message)) = dialect.readLogin(response) else {
            Issue.record("the token is taken")
            return
        }
        #expect(!message.contains("Evil"))
        switch dialect.readRefresh(response) {
        case .failed(.undecodable(_, let message)):
            #expect(key == "refresh_token" && !message.contains("Evil"))
        case .refreshTokenOnly(let successor):
            #expect(key == "access_token" && successor.refresh == RefreshToken(Secret("r")))
        case .issued, .refused, .failed: Issue.record("the token is taken")
        }
    }

    @Test(
        "a name with half of a surrogate pair, or with a byte that is no UTF-8, costs no tokens",
        arguments: [Array(#"\ud83d"#.utf8), Array(#"\ude00"#.utf8), [0xFF]] as [[UInt8]]
    )
    func brokenName(name: [UInt8]) throws {
        let dialect = try #require(Dialect.builtIn(named: "intellipost"))
        let body =
            Array(#"{"name":"ada "#.utf8) + name
            + Array(#"","access_token":"a","refresh_token":"r"}"#.utf8)
        let response = WireResponse(
            status: 200,
            statusLine: "HTTP/1.1 200 OK",
            headers: [WireHeader("Content-Type", "application/json")],
            body: body
        )
        let tokens = try #require(dialect.readRefresh(response).tokens)
        #expect(tokens.refresh != nil)
    }

    @Test("names are bounded before they are shown")
    func names() throws {
        let dialect = try #require(Dialect.builtIn(named: "bitbasel"))
        let body = JSONValue.object([
            "access_token": "token", "user_id": .string(String(repeating: "9", count: 5000)),
            "email": "a\u{1B}]0;title\u{7}b",
        ])
        let tokens = try #require(
            dialect.readLogin(WireResponse(200, json: body.serialized)).tokens
        )
        #expect(tokens.statements.subject?.count == 200)
        #expect(tokens.statements.displayName == "a ]0;title b")
    }

    @Test("a byte order mark in front of JSON is stepped over")
    func mark() throws {
        let dialect = try #require(Dialect.builtIn(named: "creatist"))
        let response = WireResponse(200, json: "\u{FEFF}{\"access_token\": \"a\"}")
        #expect(dialect.readRefresh(response).tokens != nil)
    }

    @Test(
        "answers with bytes changed at random are read or refused, and what is shown is bounded",
        arguments: 0..<10
    )
    func mutations(seed: Int) {
        var random = Mutator(seed: seed)
        for dialect in dialects {
            let sample = Sample(dialect)
            for answer in [BackendResponse.refreshIssued(sample.facts), .refreshRefused(.spent)] {
                let response = dialect.answer(answer)
                for _ in 0..<20 {
                    var mutated = response
                    mutated.body = random.mutated(response.body)
                    switch dialect.readRefresh(mutated) {
                    case .issued(let tokens): expectSound(tokens)
                    case .refreshTokenOnly(let successor): expectSound(successor.message)
                    case .refused(let refusal): expectSound(refusal.message)
                    case .failed(let failure): expectSound(failure)
                    }
                    switch dialect.readLogin(mutated) {
                    case .issued(let tokens): expectSound(tokens)
                    case .rejected(_, let message): expectSound(message)
                    case .authorizationEnded(.denied(let message)): expectSound(message)
                    case .authorizationPending, .authorizationEnded(.expired): break
                    case .failed(let failure): expectSound(failure)
                    }
                    let text = String(decoding: mutated.body, as: UTF8.self)
                    let message = dialect.readFeedMessage(text)
                    #expect(message.excerpt.count <= 512)
                }
            }
        }
    }

    /// Tokens that can be sent, and names that can be shown.
    private func expectSound(_ tokens: IssuedTokens) {
        for secret in tokens.secrets {
            #expect((1...JSONWebToken.sizeLimit).contains(secret.byteCount))
            #expect(secret.reveal().utf8.allSatisfy { (0x21...0x7E).contains($0) })
        }
        expectSound(tokens.statements.subject)
        expectSound(tokens.statements.displayName)
        for detail in tokens.statements.account { expectSound(detail.value) }
    }

    private func expectSound(_ failure: ResponseFailure) {
        switch failure {
        case .transient(_, let message, _), .clientFault(_, let message),
            .clientForgotten(_, let message), .forbidden(_, let message, _):
            expectSound(message)
        case .undecodable(_, let message): expectSound(message)
        }
    }

    /// A server's words, in one line and not too long.
    private func expectSound(_ message: String?) {
        guard let message else { return }
        #expect(message.count <= 300)
        #expect(message.unicodeScalars.allSatisfy { !$0.isUnseen }, "\(message.debugDescription)")
    }
}
