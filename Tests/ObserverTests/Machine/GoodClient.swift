import Basics
import FoundationEssentials
import Observer
import Profiles

@testable import Backend

/// A client that does everything right, at the sandbox's backend, as traffic.
struct GoodClient {
    let dialect: Dialect
    let policy: BackendPolicy
    private(set) var script = TrafficScript()
    private var backend: AuthBackend
    private var pair: (access: AccessToken, refresh: RefreshToken?)?
    private var captured = CapturedValues.none

    /// The client's own secrets, and the user's.
    private static let credentials = [
        "email": "user@example.com", "username": "sandbox", "password": "password",
        "code": "123456", "identity_token": "sandbox", "client_id": "sandbox",
        "client_secret": "secret",
    ].mapValues { Secret($0) }

    /// An answer of the backend that the client did not expect.
    struct Unexpected: Error, CustomStringConvertible {
        let description: String
    }

    init(_ dialect: Dialect, _ reuse: ReusePolicy, seed: UInt64 = 7) {
        self.dialect = dialect
        policy = BackendPolicy(of: dialect, accessLifetime: 300, reuse: reuse)
        backend = AuthBackend(seed: seed)
        script.origin = "https://api.example.com"
    }

    private var now: Double { TrafficScript.moment(script.seconds).wall.timeIntervalSince1970 }

    mutating func wait(_ seconds: Double) { script.wait(seconds) }

    // MARK: - Exchanges

    /// Sends a request; its answer is read by `receive`.
    mutating func send(_ request: WireRequest) -> (number: Int, request: WireRequest) {
        (script.send(request), request)
    }

    /// Lets the backend decide, and delivers its answer.
    @discardableResult
    mutating func receive(_ sent: (number: Int, request: WireRequest)) throws -> WireResponse {
        script.wait(TrafficScript.roundTrip)
        guard let recognized = dialect.recognize(sent.request) else {
            throw Unexpected(description: "no request of \(dialect.name): \(sent.request)")
        }
        var response = dialect.answer(backend.handle(recognized, in: policy, at: now))
        response.headers.append(
            WireHeader("Date", HTTPDate.format(Date(timeIntervalSince1970: now)))
        )
        script.answer(sent.number, response)
        script.deliver(sent.number)
        return response
    }

    // MARK: - Steps

    mutating func logIn() throws {
        let request = try dialect.loginRequest(Self.credentials)
        let response = try receive(send(request))
        guard case .issued(let tokens) = dialect.readLogin(response, credentials: Self.credentials)
        else { throw Unexpected(description: "login: \(dialect.readLogin(response))") }
        take(tokens)
    }

    private mutating func take(_ tokens: IssuedTokens) {
        pair = (tokens.access, tokens.refresh ?? pair?.refresh)
        captured = CapturedValues(tokens.captured.values)
    }

    mutating func request() -> (number: Int, request: WireRequest)? {
        guard let access = pair?.access, dialect.hasProtectedRequest else { return nil }
        return send(dialect.protectedRequest(access, captured: captured))
    }

    /// A protected request; after a refusal the client renews and repeats it.
    mutating func use() throws {
        guard let sent = request() else { return }
        let response = try receive(sent)
        guard case .tokenRejected = dialect.readProtected(response) else { return }
        try renew()
        guard let again = request() else { return }
        try receive(again)
    }

    mutating func askRefresh() -> (number: Int, request: WireRequest)? {
        guard let refresh = pair?.refresh else { return nil }
        return send(
            dialect.refreshRequest(refresh, credentials: Self.credentials, captured: captured)
        )
    }

    mutating func renew() throws {
        guard dialect.hasRefreshToken, let sent = askRefresh() else { return try logIn() }
        let response = try receive(sent)
        switch dialect.readRefresh(response) {
        case .issued(let tokens): take(tokens)
        case .refused:
            pair = nil
            try logIn()
        case .refreshTokenOnly: throw Unexpected(description: "refresh: a refresh token only")
        case .failed(let failure): throw Unexpected(description: "refresh: \(failure)")
        }
    }

    /// A refresh that the backend cannot answer now, and then one that it can.
    mutating func renewAfterFailure() throws {
        guard dialect.hasRefreshToken, let sent = askRefresh() else { return }
        script.finish(sent.number, 503)
        script.wait(3)
        try renew()
    }

    /// A refresh whose answer does not reach the client, which asks again with the same token.
    mutating func renewAfterLoss() throws {
        guard let sent = askRefresh(), let recognized = dialect.recognize(sent.request) else {
            return
        }
        script.wait(TrafficScript.roundTrip)
        script.answer(sent.number, dialect.answer(backend.handle(recognized, in: policy, at: now)))
        script.deliver(sent.number, whole: false)
        script.wait(1)
        try renew()
    }

    mutating func logOut() throws {
        let request = dialect.logoutRequest(
            .this,
            refresh: pair?.refresh,
            access: pair?.access,
            credentials: Self.credentials,
            captured: captured
        )
        pair = nil
        if let request { try receive(send(request)) }
    }
}

extension TrafficScript {
    mutating func send(_ request: WireRequest) -> Int {
        send(
            request.method,
            request.target,
            headers: request.headers,
            body: request.body
        )
    }

    mutating func answer(_ exchange: Int, _ response: WireResponse) {
        answer(exchange, response.status, headers: response.headers, body: response.body)
    }
}
