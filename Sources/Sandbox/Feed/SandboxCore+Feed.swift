import Backend
import Dialects
import FoundationEssentials
import Synchronization
import Timekeeping
import Tokens

/// What a feed's upgrade was granted for.
struct FeedTicket: Sendable {
    enum Admission: Sendable {
        case open(AccessGrant, since: Int64?)
        /// Upgraded only to be told this.
        case closed(FeedClose)
    }

    let dialect: String
    let admission: Admission
    /// The one to choose of those the client offered.
    let subprotocol: String?
}

/// The core's part in opening, serving and closing feeds.
extension SandboxCore {
    /// Whether a request may become a socket.
    ///
    /// - Parameters:
    ///   - request: Asks for an upgrade.
    ///   - channel: Its connection's.
    /// - Returns: Nil when it is no feed, or refused: then it is answered as any request is.
    func admit(_ request: WireRequest, on channel: ObjectIdentifier) -> FeedTicket? {
        guard case .exchange(let served, let recognised) = route(request),
            case .feed(let token, let since) = recognised
        else { return nil }
        let now = now
        let subprotocol = request.header("Sec-WebSocket-Protocol").flatMap { offered in
            offered.split { $0 == "," || $0 == " " }.first.map(String.init)
        }
        return locked.withLock { state in
            let pendingExchange = state.begin(recognised, in: served)
            guard !pendingExchange.exchange.isDecided else {
                state.answeredUpgrades[channel] = pendingExchange
                return nil
            }
            switch state.backend.access(token, in: served.policy, at: now) {
            case .granted(let grant):
                let decision = state.faultController.decision(at: .dialled, drawing: &state.random)
                if let status = decision.refusal {
                    var pendingExchange = pendingExchange
                    pendingExchange.exchange.response = .detail(status, "Refused by a fault")
                    state.answeredUpgrades[channel] = pendingExchange
                    return nil
                }
                if let close = decision.close {
                    return FeedTicket(
                        dialect: served.policy.name,
                        admission: .closed(close),
                        subprotocol: subprotocol
                    )
                }
                _ = state.backend.feed(token, in: served.policy, at: now)
                return FeedTicket(
                    dialect: served.policy.name,
                    admission: .open(grant, since: since.flatMap { Int64($0) }),
                    subprotocol: subprotocol
                )
            case .refused(let cause):
                guard case .close(let code) = feed.refusal else { return nil }
                _ = state.backend.feed(token, in: served.policy, at: now)
                return FeedTicket(
                    dialect: served.policy.name,
                    admission: .closed(FeedClose(code: code, reason: cause.feedText)),
                    subprotocol: subprotocol
                )
            }
        }
    }

    /// The answer that a fault gives to an upgrade, once.
    func takeAnsweredUpgrade(of channel: ObjectIdentifier) -> SandboxExchange? {
        locked.withLock { $0.answeredUpgrades.removeValue(forKey: channel) }
    }

    /// What a request for the feed that did not become a socket is told.
    func refuseFeed(_ token: AccessToken?, in served: ServedDialect) -> WireResponse {
        let now = now
        return locked.withLock { state in
            switch state.backend.access(token, in: served.policy, at: now) {
            case .granted:
                return .upgradeRequired
            case .refused(let cause):
                _ = state.backend.feed(token, in: served.policy, at: now)
                return .detail(403, cause.feedText)
            }
        }
    }

    /// Registers a socket, and begins the user's feed with the first.
    func openFeed(_ grant: AccessGrant, in dialect: String, since: Int64?) -> FeedRegister.Opening {
        let moment = timekeeper.moment
        return locked.withLock { state in
            let opening = state.feeds.open(
                grant,
                in: dialect,
                since: since,
                rate: feed.rate,
                at: moment
            )
            // It may have ended while the upgrade was under way.
            if state.backend.hasEnded(family: grant.family) { state.closeOrphans() }
            return opening
        }
    }

    func noteSent(_ seq: Int64, to socket: Int) {
        locked.withLock { $0.feeds.noteSent(seq, to: socket) }
    }

    func lastSent(to socket: Int) -> Int64? {
        locked.withLock { $0.feeds.lastSent(to: socket) }
    }

    func noteClosed(_ socket: Int, _ close: FeedClose, by closer: FeedSocketState.Closer) {
        let now = now
        locked.withLock { $0.feeds.noteClosed(socket, close, by: closer, at: now) }
    }
}

extension UnauthorizedCause {
    fileprivate var feedText: String {
        switch self {
        case .missing: "Not authenticated"
        case .expired: "Token has expired"
        case .invalid: "Could not validate credentials"
        }
    }
}
