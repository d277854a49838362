@testable import Basics
@testable import Profiles

/// A request to the sandbox, in every built-in dialect.
///
/// The input is a line with a dialect's name, and a request in the format of the golden files.
enum RequestFuzzTarget: FuzzTarget {
    static let name = "requests"

    static func read(_ bytes: [UInt8]) {
        var rest = bytes[...]
        guard let dialect = Dialect.named(by: &rest) else { return }
        let message = MessageText(rest)
        let parts = message.start.split(separator: " ", maxSplits: 1).map(String.init)
        let request = WireRequest(
            method: parts.first ?? "",
            target: parts.count > 1 ? parts[1] : "",
            headers: message.headers,
            body: message.body
        )
        if let recognized = dialect.withSandboxFeed().recognize(request) {
            check(recognized, in: dialect)
        }
        rereads(message.body, dialect)
    }

    private static func check(_ request: RecognizedRequest, in dialect: Dialect) {
        let secrets: [Secret?]
        switch request {
        case .login(let credentials):
            let names = Set(dialect.credentials.map(\.name))
            require(names.isSuperset(of: credentials.keys), "only what was asked for")
            secrets = Array(credentials.values)
        case .refresh(let token): secrets = [token?.secret]
        case .logout(let scope, let refresh, let access):
            require(dialect.logoutScopes.contains(scope), "a logout that there is")
            secrets = [refresh?.secret, access?.secret]
        case .protected(let token), .sessions(let token), .feed(let token, _),
            .endSession(_, let token), .userinfo(let token):
            secrets = [token?.secret]
        case .introspection(let token): secrets = [token]
        }
        require(secrets.allSatisfy { $0?.isEmpty != true }, "what is empty is absent")
    }

    /// Checks that any valid token is unchanged after it was written to a request and parsed.
    private static func rereads(_ bytes: [UInt8], _ dialect: Dialect) {
        guard !bytes.isEmpty, bytes.allSatisfy({ (0x21...0x7E).contains($0) }) else { return }
        let secret = Secret(String(decoding: bytes, as: UTF8.self))
        if dialect.hasRefreshToken {
            let token = RefreshToken(secret)
            let read = dialect.recognize(dialect.refreshRequest(token))
            require(read == .refresh(token), "a refresh token comes through")
        }
        if dialect.hasProtectedRequest {
            let token = AccessToken(secret)
            let read = dialect.recognize(dialect.protectedRequest(token))
            require(read == .protected(token), "an access token comes through")
        }
    }
}
