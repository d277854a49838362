import Basics
import Foundation
import Profiles
import Testing

@testable import authtop

@Suite("The address of a program's token", .timeLimit(.minutes(20)))
struct TokenEndpointTests {
    private static let key = [UInt8](0..<16)
    private static let path = "/000102030405060708090a0b0c0d0e0f"

    private static func endpoint(
        failing failure: CommandFailure? = nil
    ) throws -> TokenEndpoint {
        let dialect = try #require(Dialect.builtIn(named: "oauth2"))
        let token = try #require(
            FreshToken(
                .access,
                access: FreshToken.Part(
                    secret: Secret("a-1"),
                    end: Date(timeIntervalSince1970: 1_620_499_962)
                ),
                id: nil,
                dialect: dialect
            )
        )
        return TokenEndpoint(key: key, profile: "acme") { () async throws(CommandFailure) in
            if let failure { throw failure }
            return token
        }
    }

    private static func answer(
        _ method: String,
        _ target: String,
        _ headers: [WireHeader] = [],
        failing failure: CommandFailure? = nil
    ) async throws -> (status: Int, body: String) {
        let request = WireRequest(method: method, target: target, headers: headers)
        let answer = try await endpoint(failing: failure).answer(request)
        return (answer.status, String(decoding: answer.body, as: UTF8.self))
    }

    @Test("answers GET with the token, or with JSON if that is accepted")
    func forms() async throws {
        #expect(try await Self.answer("GET", Self.path) == (200, "a-1"))
        let accept = WireHeader("accept", "text/html;q=0.1, Application/JSON; q=1")
        let json = try await Self.answer("GET", Self.path, [accept])
        #expect(
            JSONValue(parsing: Array(json.body.utf8)) == [
                "access_token": "a-1", "token_type": "Bearer", "expires_at": 1_620_499_962,
            ]
        )
        let other = WireHeader("Accept", "application/jsonx")
        #expect(try await Self.answer("GET", Self.path, [other]) == (200, "a-1"))
    }

    @Test(
        "answers no other path, and no other method",
        arguments: [
            ("GET", "/", 404), ("GET", "\(path)0", 404), ("GET", "\(path)/", 404),
            ("GET", "/100102030405060708090a0b0c0d0e0f", 404), ("POST", "/", 404),
            ("POST", path, 405), ("HEAD", path, 405),
        ]
    )
    func refused(method: String, target: String, status: Int) async throws {
        let answer = try await Self.answer(method, target)
        #expect(answer.status == status)
        #expect(!answer.body.contains("a-1"))
    }

    @Test(
        "says why there is no token",
        arguments: [
            (CommandFailure.Exit.notSo, 410), (.unreachable, 503), (.badInput, 500),
        ]
    )
    func failures(exit: CommandFailure.Exit, status: Int) async throws {
        let failure = CommandFailure(exit, "acme: signed out")
        let answer = try await Self.answer("GET", Self.path, failing: failure)
        #expect(answer.status == status)
        #expect(answer.body == #"{"error":"acme: signed out"}"#)
    }

    @Test(
        "refuses pages in browsers, and other names of this machine",
        arguments: [
            ("Origin", "http://127.0.0.1", 403), ("Sec-Fetch-Site", "none", 403),
            ("Host", "evil.example", 421), ("Accept", "*/*", 200),
        ]
    )
    func pages(name: String, value: String, status: Int) async throws {
        let answer = try await Self.endpoint().serve { url -> HTTPMessage? in
            let rest = url.reveal().dropFirst("http://127.0.0.1:".count)
            let request = HandMadeRequest(
                method: "GET",
                target: String(rest.drop { $0 != "/" }),
                headers: [name: value]
            )
            return try? await request.send(to: Int(rest.prefix { $0 != "/" }) ?? 0)
        }
        #expect(answer?.status == status)
        #expect(answer?.body.contains("a-1") == (status == 200))
    }
}
