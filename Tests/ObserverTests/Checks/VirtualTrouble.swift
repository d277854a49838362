import Basics
import Model
import Observer
import Profiles

/// A backend that answers in its own way, whatever it is asked.
struct VirtualTrouble: Sendable {
    /// The number of logins that succeed before all are refused.
    var loginLimit: Int?
    /// Whether every other request is answered with 429.
    var limitsEveryOther = false
    /// The number of requests that are answered before the server no longer listens.
    var requestLimit: Int?
    /// Whether the refresh after a refused one fails.
    var failsAfterRefusals = false
    /// The number of times that a refresh token is accepted again; it is refused after that.
    var useLimit: Int?
    /// Whether the refusal of a refresh has no body.
    var refusesWithoutBody = false
    /// Whether a refresh token is accepted until an access token that it brought is used, as Doorkeeper
    /// does.
    var spendsAtAccess = false
    /// Which races fail: the second refresh of each of them is answered with 500.
    var failingRaces: Range<Int> = 0..<0
    /// Whether a refresh for another resource than that of the profile, or for none, is refused.
    var bindsResource = false
    /// What a refresh whose proof has no nonce does to the refresh token, or `nil` if it is answered as
    /// any other.
    var challenge: Challenge?
    /// The error code of the challenge that refuses each request with an access token, or `nil` for none.
    var protectedError: String?
    /// Whether each refresh is refused.
    var refusesRefreshes = false
    /// Whether an access token that a refresh has brought is refused.
    var refusesRenewed = false
    /// Whether the first request for anything but tokens is answered with 500.
    var failsOnce = false
    /// Whether every logout is refused, as by a server that refuses the client.
    var refusesLogouts = false
    /// Whether its tokens are made of the user and the second, and each of them is accepted.
    var makesTokensOfTime = false
    var requests = 0
    var logins = 0
    var uses: [RefreshToken: Int] = [:]
    /// The refresh tokens by the access tokens that they brought.
    var sources: [AccessToken: RefreshToken] = [:]
    var spent: Set<RefreshToken> = []
    var racers = 0
    var hasRefused = false

    enum Challenge: Sendable {
        case keepsToken
        case spendsToken
    }

    /// Returns what a request comes to, or `nil` if the backend decides.
    mutating func outcome(
        of sent: CheckRequest,
        in dialect: Dialect,
        at now: Double
    ) -> Outcome<WireResponse>? {
        let request = sent.request
        if makesTokensOfTime { return tokensOfTime(request, in: dialect, at: now) }
        requests += 1
        if let requestLimit, requests > requestLimit {
            return .notSent(.unreachable(detail: "connection refused"))
        }
        if limitsEveryOther, requests.isMultiple(of: 2) {
            return .answered(WireResponse(status: 429, headers: [WireHeader("Retry-After", "1")]))
        }
        switch dialect.recognize(request) {
        case .login:
            logins += 1
            return loginLimit.map { logins > $0 } ?? false
                ? .answered(WireResponse(status: 401, body: Array("{}".utf8))) : nil
        case .refresh where bindsResource && !names(dialect.resource, in: request):
            let body = Array(#"{"error":"invalid_target"}"#.utf8)
            return .answered(WireResponse(status: 400, headers: [.json], body: body))
        case .refresh(let token?) where challenge != nil && !sent.usesNonce:
            if challenge == .spendsToken { spent.insert(token) }
            let body = Array(#"{"error":"use_dpop_nonce"}"#.utf8)
            return .answered(WireResponse(status: 400, headers: [.json], body: body))
        case .logout where refusesLogouts:
            let body = Array(#"{"error":"invalid_client"}"#.utf8)
            return .answered(WireResponse(status: 401, headers: [.json], body: body))
        case .refresh where refusesRefreshes:
            let body = Array(#"{"error":"invalid_grant"}"#.utf8)
            return .answered(WireResponse(status: 400, headers: [.json], body: body))
        case .refresh where failsAfterRefusals && hasRefused:
            return .answered(WireResponse(status: 500))
        case .refresh(let token?) where useLimit != nil:
            uses[token, default: 0] += 1
            guard let useLimit, uses[token, default: 0] > useLimit + 1 else { return nil }
            let body = Array(#"{"error":"invalid_grant"}"#.utf8)
            return .answered(WireResponse(status: 400, body: body))
        case .refresh where sent.connection == .warm:
            racers += 1
            let fails = racers.isMultiple(of: 2) && failingRaces.contains(racers / 2 - 1)
            return fails ? .answered(WireResponse(status: 500)) : nil
        case .refresh(let token?) where spent.contains(token):
            return .answered(
                WireResponse(status: 400, body: Array(#"{"error":"invalid_grant"}"#.utf8))
            )
        case .protected(let access?) where spendsAtAccess:
            if let token = sources[access] { spent.insert(token) }
            return nil
        case .protected(let access?) where refusesRenewed && sources[access] != nil:
            return .answered(dialect.answer(.unauthorized(.invalid)))
        case .protected(_?) where protectedError != nil:
            let challenge = "Bearer error=\"\(protectedError ?? "")\""
            return .answered(
                WireResponse(status: 401, headers: [WireHeader("WWW-Authenticate", challenge)])
            )
        case .protected where failsOnce:
            failsOnce = false
            return .answered(WireResponse(status: 500))
        default: return nil
        }
    }

    private func tokensOfTime(
        _ request: WireRequest,
        in dialect: Dialect,
        at now: Double
    ) -> Outcome<WireResponse> {
        let second = Int(now)
        switch dialect.recognize(request) {
        case .login, .refresh(_?):
            let tokens: JSONValue = [
                "access_token": .string("access-\(second)"),
                "refresh_token": .string("refresh-\(second)"), "token_type": "Bearer",
            ]
            return .answered(.json(tokens))
        default: return .answered(.json(["active": true]))
        }
    }

    private func names(_ resource: String?, in request: WireRequest) -> Bool {
        request.parameters["resource"] == resource
    }

    /// Takes note of an answer, and changes it.
    mutating func apply(
        _ outcome: inout Outcome<WireResponse>,
        of request: WireRequest,
        in dialect: Dialect
    ) {
        if dialect.bindsTokens { outcome.bindTokens() }
        guard case .refresh(let token) = dialect.recognize(request),
            case .answered(let response) = outcome
        else { return }
        if let token, case .issued(let issued) = dialect.readRefresh(response) {
            sources[issued.access] = token
        }
        if refusesWithoutBody, (400..<500).contains(response.status) {
            outcome = .answered(WireResponse(status: response.status))
        }
        hasRefused = (400..<500).contains(response.status)
    }
}

extension Outcome<WireResponse> {
    /// States that tokens are bound to a key (RFC 9449 section 5).
    fileprivate mutating func bindTokens() {
        guard case .answered(var response) = self,
            case .object(var members)? = JSONValue(parsing: response.body),
            members["token_type"] != nil
        else { return }
        members["token_type"] = "DPoP"
        response.body = Array(JSONValue.object(members).serialized.utf8)
        self = .answered(response)
    }
}
