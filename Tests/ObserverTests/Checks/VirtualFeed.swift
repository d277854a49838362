import Backend
import Basics
import Model
import Profiles

@testable import Observer

/// A feed on virtual time, and what closes its sockets.
struct VirtualFeed: Sendable {
    enum Refusal: Sendable, Hashable {
        case status(Int)
        /// After the upgrade.
        case close(Int)
        case accepts
    }

    struct Socket {
        let family: Int
    }

    /// The answer to a token that is not valid.
    var refusal = Refusal.status(403)
    /// The codes with which a socket is closed, or `nil` if it stays open.
    var onRefresh: Int?
    var onLogout: Int? = 4401
    var onExpiry: Int?
    /// Whether the tokens of a refresh are refused.
    var refusesAfterRefresh = false
    /// Closes every socket this many seconds after its upgrade, with a code.
    var lifetime: (seconds: Double, code: Int)?
    /// Those that are open, by their numbers.
    var sockets: [Int: Socket] = [:]

    /// Answers an upgrade.
    ///
    /// - Returns: The refusal, or when the socket is closed and with which code.
    mutating func open(
        _ dial: CheckDial,
        in dialect: Dialect,
        _ policy: BackendPolicy,
        of backend: AuthBackend,
        at now: Double
    ) -> (refusal: Outcome<WireResponse>?, closes: [(at: Double, code: Int)]) {
        let request = WireRequest(
            method: "GET",
            target: dial.request.target,
            headers: dial.request.headers
        )
        guard case .feed(let token, _) = dialect.recognize(request) else {
            return (.answered(WireResponse(status: 404)), [])
        }
        switch backend.access(token, in: policy, at: now) {
        case .granted(let grant) where refusesAfterRefresh && grant.generation > 1:
            return (.answered(WireResponse(status: 403)), [])
        case .granted(let grant):
            sockets[dial.id] = Socket(family: grant.family)
            var closes = onExpiry.map { [(grant.expiresAt, $0)] } ?? []
            if let lifetime { closes.append((now + lifetime.seconds, lifetime.code)) }
            return (nil, closes)
        case .refused:
            switch refusal {
            case .status(let status): return (.answered(WireResponse(status: status)), [])
            case .close(let code):
                sockets[dial.id] = Socket(family: 0)
                return (nil, [(now, code)])
            case .accepts:
                sockets[dial.id] = Socket(family: 0)
                return (nil, [])
            }
        }
    }

    /// Returns the sockets that a request closes, with their codes.
    func closed(
        by request: WireRequest,
        _ outcome: Outcome<WireResponse>,
        in dialect: Dialect,
        _ policy: BackendPolicy,
        of backend: AuthBackend,
        at now: Double
    ) -> [(Int, code: Int)] {
        guard case .answered(let response) = outcome else { return [] }
        switch dialect.recognize(request) {
        case .refresh:
            guard let onRefresh, case .issued(let tokens) = dialect.readRefresh(response),
                case .granted(let grant) = backend.access(tokens.access, in: policy, at: now)
            else { return [] }
            return sockets.filter { $0.value.family == grant.family }.map { ($0.key, onRefresh) }
        case .logout:
            guard let onLogout else { return [] }
            return sockets.filter {
                $0.value.family > 0 && backend.hasEnded(family: $0.value.family)
            }
            .map { ($0.key, onLogout) }
        default: return []
        }
    }
}
