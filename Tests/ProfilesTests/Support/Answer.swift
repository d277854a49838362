import Basics
import Foundation
import Testing

@testable import Profiles

/// An answer in a line of a test's table, with what it must mean.
struct Answer: Sendable, CustomTestStringConvertible {
    var dialectName: String
    var status: Int
    var body: String
    var headers: [WireHeader]
    var meaning: String

    init(
        _ dialectName: String,
        _ status: Int,
        _ body: String,
        headers: [String: String] = [:],
        _ meaning: String
    ) {
        self.dialectName = dialectName
        self.status = status
        self.body = body
        self.headers = headers.map { WireHeader($0.key, $0.value) }
        self.meaning = meaning
    }

    var testDescription: String { "\(dialectName) \(status) \(body.prefix(40))" }

    var response: WireResponse {
        WireResponse(status: status, headers: headers, body: Array(body.utf8))
    }
}

extension WireResponse {
    init(_ status: Int, json: String, headers: [String: String] = [:]) {
        self.init(
            status: status,
            headers: headers.map { WireHeader($0.key, $0.value) },
            body: Array(json.utf8)
        )
    }
}

extension Dialect {
    /// A small dialect for one test: its refresh and its answer's lines are given.
    static func sketch(
        refresh: String = #"token_in = "bearer""#,
        answer: String = "",
        terminal: String = "status = 401",
        top: String = "",
        more: String = ""
    ) throws -> Dialect {
        let text = """
            name = "sketch"
            \(top)

            [login]
            request = "POST /login"
            credentials = ["email", "password"]
            fields = { email = "{email}", password = "{password}" }
            [login.response]
            access = "access"
            refresh = "refresh"

            [refresh]
            request = "POST /refresh"
            \(refresh)
            [refresh.response]
            access = "access"
            refresh = "refresh"
            \(answer)
            [[refresh.terminal]]
            \(terminal)

            \(more)
            """
        return try Dialect(toml: text, file: "sketch.toml")
    }
}

extension RefreshResponse {
    var tokens: IssuedTokens? {
        if case .issued(let tokens) = self { return tokens }
        return nil
    }
}

extension LoginResponse {
    var tokens: IssuedTokens? {
        if case .issued(let tokens) = self { return tokens }
        return nil
    }
}

/// Seconds since 1970 of a time in UTC such as `2026-01-06T14:18:40Z`.
func instant(_ text: String) throws -> Date {
    try Date(text, strategy: .iso8601)
}
