import Backend
import Basics
import Profiles
import Sandbox

extension RunningSandbox {
    /// Logs in with what `authtop sandbox` prints.
    func login(_ dialect: Dialect, under prefix: String? = nil) async throws -> IssuedTokens {
        let request = try dialect.loginRequest(Account.sandbox.credentials)
        let response = try await send(request, under: prefix ?? "/\(dialect.name)")
        guard case .issued(let tokens) = dialect.readLogin(response) else {
            throw Unexpected("the login was answered with \(response.status)")
        }
        return tokens
    }

    func refresh(_ dialect: Dialect, _ token: RefreshToken?) async throws -> RefreshResponse {
        guard let token else { throw Unexpected("no refresh token") }
        let response = try await send(dialect.refreshRequest(token), under: "/\(dialect.name)")
        return dialect.readRefresh(response)
    }

    func renewed(_ dialect: Dialect, _ token: RefreshToken?) async throws -> IssuedTokens {
        guard case .issued(let tokens) = try await refresh(dialect, token) else {
            throw Unexpected("the refresh brought nothing")
        }
        return tokens
    }

    func opens(_ dialect: Dialect, _ token: AccessToken) async throws -> ProtectedResponse {
        let response = try await send(dialect.protectedRequest(token), under: "/\(dialect.name)")
        return dialect.readProtected(response)
    }
}

/// A built-in dialect, with a feed.
func dialect(_ name: String) throws -> Dialect {
    guard let dialect = Dialect.builtIn(named: name) else { throw Unexpected(name) }
    return dialect.withSandboxFeed()
}
