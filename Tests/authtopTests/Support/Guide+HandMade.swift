import TestSupport

/// A guide's requests, made by hand against a sandbox.
extension Guide {
    /// The tokens of a user who logged in by hand.
    struct Tokens: Sendable, Equatable {
        var access: String
        /// As in the last answer that held one.
        var refresh: String
    }

    struct EmptyTokensPane: Error {
        let answer: String
    }

    func logIn(
        at sandbox: Sandbox,
        as userAgent: String? = nil
    ) async throws -> (tokens: Tokens, answer: HTTPMessage) {
        let body =
            switch self {
            case .bitbasel: #"{"identity_token": "sandbox"}"#
            case .melchat: #"{"email": "user@example.com", "code": "123456"}"#
            case .voltyks, .creatist, .intellipost:
                #"{"email": "user@example.com", "password": "password"}"#
            }
        let answer = try await post(loginPath, body, to: sandbox, as: userAgent)
        return (try tokens(in: answer, before: nil), answer)
    }

    /// Presents a refresh token.
    func refresh(_ token: String, at sandbox: Sandbox) async throws -> HTTPMessage {
        switch self {
        case .voltyks:
            try await post(refreshPath, "", to: sandbox, bearer: token)
        case .melchat:
            try await post(refreshPath, #"{"refreshToken": "\#(token)"}"#, to: sandbox)
        case .bitbasel, .creatist, .intellipost:
            try await post(refreshPath, #"{"refresh_token": "\#(token)"}"#, to: sandbox)
        }
    }

    /// Presents a refresh token that is good.
    func refreshed(_ tokens: Tokens, at sandbox: Sandbox) async throws -> Tokens {
        try self.tokens(in: try await refresh(tokens.refresh, at: sandbox), before: tokens)
    }

    /// Asks for what only a live access token may see.
    func ask(with access: String, at sandbox: Sandbox) async throws -> HTTPMessage {
        try await HandMadeRequest(
            method: "GET",
            target: "/\(rawValue)\(protectedPath)",
            headers: ["Authorization": "Bearer \(access)"]
        )
        .send(to: sandbox.port)
    }

    /// Asks again and again, until the token is refused.
    func outlive(_ access: String, at sandbox: Sandbox) async throws -> HTTPMessage {
        try await eventually("the refusal of an expired access token") {
            let answer = try await ask(with: access, at: sandbox)
            return answer.status == 200 ? nil : answer
        }
    }

    func post(
        _ path: String,
        _ body: String,
        to sandbox: Sandbox,
        bearer: String? = nil,
        as userAgent: String? = nil
    ) async throws -> HTTPMessage {
        var request = HandMadeRequest(method: "POST", target: "/\(rawValue)\(path)", body: body)
        request.headers["User-Agent"] = userAgent
        request.headers["Content-Type"] = "application/json"
        if let bearer { request.headers["Authorization"] = "Bearer \(bearer)" }
        return try await request.send(to: sandbox.port)
    }

    private func tokens(in answer: HTTPMessage, before: Tokens?) throws -> Tokens {
        let access = ["data.token", "data.accessToken", "accessToken", "access_token"]
        let refresh = ["data.refreshToken", "refreshToken", "refresh_token"]
        guard let newAccess = access.lazy.compactMap({ answer[$0]?.text }).first,
            let newRefresh = refresh.lazy.compactMap({ answer[$0]?.text }).first ?? before?.refresh
        else { throw EmptyTokensPane(answer: "\(answer.startLine) \(answer.body)") }
        return Tokens(access: newAccess, refresh: newRefresh)
    }
}
