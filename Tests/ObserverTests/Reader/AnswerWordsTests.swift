import Basics
import Foundation
import Profiles
import Testing

@testable import Observer

@Suite("The words of answers: nothing that may be a secret")
struct AnswerWordsTests {
    private static let unseen = "kR3vQ9xT7mZ2pL5wB8nDkR3vQ9xT7mZ2pL5wB8nD"

    @Test(
        "have no token that no exchange had before, whatever states them",
        arguments: [
            (
                200, [WireHeader("grpc-status", "16"), WireHeader("grpc-message", "no \(unseen)")],
                ""
            ),
            (
                401, [WireHeader("WWW-Authenticate", "Bearer error_description=\"no \(unseen)\"")],
                ""
            ),
            (
                401, [WireHeader("Content-Type", "application/json")],
                #"{"message":"no \#(unseen)"}"#
            ),
        ]
    )
    func unseenToken(status: Int, headers: [WireHeader], body: String) throws {
        let answer = try Self.answer(to: "/me", status, headers, body)
        #expect(answer.serverWords == "no ‹hidden›")
    }

    @Test(
        "keep what is no token: an address, a name of a rule",
        arguments: [
            "Expected an access token. See https://developers.example.com/identity/sign-in/project.",
            "token has expired: 482913", "auth.session-not-found",
        ]
    )
    func plainWords(text: String) throws {
        let status = WireHeader("grpc-status", "16")
        let answer = try Self.answer(
            to: "/me",
            200,
            [status, WireHeader("grpc-message", text)],
            ""
        )
        #expect(answer.serverWords == text)
    }

    @Test(
        "have no short secret of a body that cannot be parsed",
        arguments: [
            #"{"error":"no","token":"s3cr3t9x","#, #"{"error":"\ud83d","refresh_token":"s3cr3t9x""#,
        ]
    )
    func unparsable(body: String) throws {
        let answer = try Self.answer(to: "/me", 401, [], body)
        let words = try #require(answer.serverWords)
        #expect(words.contains("‹hidden›") && !words.contains("s3cr3t9x"), "\(words)")
    }

    @Test("have no code of the path that is repeated, be it in a body that is kept")
    func codeOfThePath() throws {
        let body = #"{"message":"7ULdy203e is unknown","path":"/reset/7ULdy203e"}"#
        let answer = try Self.answer(to: "/reset/7ULdy203e", 404, [], body)
        let kept = try #require(answer.evidence)
        #expect(answer.serverWords?.contains("is unknown") == true)
        #expect(answer.serverWords?.contains("7ULdy203e") == false)
        #expect(!kept.body.contains("7ULdy203e"), "\(kept.body)")
    }

    @Test("keep the word of a path after such a name")
    func wordOfThePath() throws {
        let body = #"{"message":"identity is unknown"}"#
        let answer = try Self.answer(to: "/verify/identity", 404, [], body)
        #expect(answer.serverWords == "identity is unknown")
    }

    private static func answer(
        to target: String,
        _ status: Int,
        _ headers: [WireHeader],
        _ body: String
    ) throws -> AnswerFacts {
        var reader = TrafficReader(
            fingerprinter: ObservationRun.fingerprinter,
            keepsEveryBody: true
        )
        let request = WireRequest(
            method: "GET",
            origin: "https://api.example.com",
            target: target,
            headers: []
        )
        let kinds: [TrafficInput.Kind] = [
            .requestHead(request, connection: 1, peer: ""), .requestEnd(bytes: 0),
            .responseHead(WireResponse(status: status, headers: headers)),
            .responseBody(Array(body.utf8)), .responseEnd(bytes: body.utf8.count),
        ]
        var answered: AnswerFacts?
        for kind in kinds {
            let input = TrafficInput(exchange: 1, kind: kind)
            for found in reader.read(input, at: TrafficScript.moment(0)) {
                if case .answered(let facts) = found.kind { answered = facts }
            }
        }
        return try #require(answered)
    }
}
