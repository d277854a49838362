import Backend
import Basics
import FoundationEssentials
import Profiles
import Synchronization

/// The outcome of a feed's upgrade.
struct FeedTicket: Sendable {
    enum Admission: Sendable {
        case open(AccessGrant, since: Int64?)
        /// The upgrade is accepted only to send this close frame.
        case closed(FeedClose)
        /// The upgrade is accepted, and the token is sent in a message of this protocol.
        case spoken(SpokenProtocol, in: ServedDialect)
    }

    let dialect: String
    let admission: Admission
    /// The subprotocol to select among those that the client offered.
    let subprotocol: String?
}

/// Opening, serving and closing feeds.
extension SandboxCore {
    /// Decides whether a request may become a socket.
    ///
    /// - Parameters:
    ///   - request: The request for an upgrade.
    ///   - channel: The channel of its connection.
    /// - Returns: The ticket, or `nil` if the request is not for a feed or is rejected; it is then
    ///   answered like any other request.
    func admit(_ request: WireRequest, on channel: ObjectIdentifier) -> FeedTicket? {
        let route = route(request)
        if case .spoken(let spoken, let served) = route {
            return FeedTicket(
                dialect: served.policy.name,
                admission: .spoken(spoken, in: served),
                subprotocol: Self.subprotocol(of: request)
            )
        }
        guard case .exchange(let served, let recognized) = route,
            case .feed(let token, let since) = recognized
        else { return nil }
        let subprotocol = Self.subprotocol(of: request)
        let admission = admission(
            of: request,
            recognized,
            in: served,
            token,
            since: since.flatMap { Int64($0) }
        )
        switch admission {
        case .admitted(let admission):
            return FeedTicket(
                dialect: served.policy.name,
                admission: admission,
                subprotocol: subprotocol
            )
        case .answered(let exchange):
            locked.withLock { $0.answeredUpgrades[channel] = exchange }
            return nil
        case .refused:
            return nil
        }
    }

    /// The first subprotocol that a client offers.
    private static func subprotocol(of request: WireRequest) -> String? {
        request.header("Sec-WebSocket-Protocol").flatMap { offered in
            offered.utf8.split { ", ".utf8.contains($0) }.first.map { String(Substring($0)) }
        }
    }

    /// What follows from a token that a client has sent in a message.
    enum SpokenVerdict: Sendable {
        case granted(AccessGrant)
        /// With the server's words.
        case refused(String)
        /// By a fault.
        case closed(FeedClose)
    }

    func verdict(on token: AccessToken?, in served: ServedDialect) -> SpokenVerdict {
        let now = now
        return locked.withLock { state in
            defer { _ = state.backend.feed(token, in: served.policy, at: now) }
            switch state.backend.access(token, in: served.policy, at: now) {
            case .granted(let grant):
                let decision = state.faultController.decision(at: .dialed, drawing: &state.random)
                if decision.refusal != nil { return .refused("Refused by a fault") }
                return decision.close.map { .closed($0) } ?? .granted(grant)
            case .refused(let cause): return .refused(cause.feedText)
            }
        }
    }

    /// Notes that the client has told a newer token on an open socket.
    func recordRenewal(_ grant: AccessGrant, of socket: Int) {
        locked.withLock { $0.feeds.recordRenewal(grant.generation, of: socket) }
    }

    /// Whether a request for a feed is admitted.
    enum UpgradeDecision: Sendable {
        case admitted(FeedTicket.Admission)
        /// A fault, or a proof that is not valid, decides the response.
        case answered(SandboxExchange)
        /// Its token is not valid.
        case refused
    }

    /// Decides whether a request opens a feed, as a socket or as a stream.
    func admission(
        of request: WireRequest,
        _ recognized: RecognizedRequest,
        in served: ServedDialect,
        _ token: AccessToken?,
        since: Int64?
    ) -> UpgradeDecision {
        let now = now
        let refusal = refusal(checkProof(in: request, of: recognized), of: recognized)
        return locked.withLock { state in
            var pendingExchange = state.begin(recognized, in: served)
            if let refusal { pendingExchange.exchange.response = refusal }
            guard !pendingExchange.exchange.isDecided else { return .answered(pendingExchange) }
            switch state.backend.access(token, in: served.policy, at: now) {
            case .granted(let grant):
                let decision = state.faultController.decision(at: .dialed, drawing: &state.random)
                if let status = decision.refusal {
                    pendingExchange.exchange.response = .detail(status, "Refused by a fault")
                    return .answered(pendingExchange)
                }
                if let close = decision.close { return .admitted(.closed(close)) }
                _ = state.backend.feed(token, in: served.policy, at: now)
                return .admitted(.open(grant, since: since))
            case .refused(let cause):
                guard case .close(let code) = feed.refusal else { return .refused }
                _ = state.backend.feed(token, in: served.policy, at: now)
                return .admitted(.closed(FeedClose(code: code, reason: cause.feedText)))
            }
        }
    }

    /// Returns and removes the response of a fault to an upgrade.
    func takeAnsweredUpgrade(of channel: ObjectIdentifier) -> SandboxExchange? {
        locked.withLock { $0.answeredUpgrades.removeValue(forKey: channel) }
    }

    /// Returns the response to a feed request that did not become a socket.
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

    /// Registers a socket, and starts the user's feed with the first one.
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
            // The session may have ended during the upgrade.
            if state.backend.hasEnded(family: grant.family) { state.closeOrphans() }
            return opening
        }
    }

    func recordSent(_ seq: Int64, to socket: Int) {
        locked.withLock { $0.feeds.recordSent(seq, to: socket) }
    }

    func lastSent(to socket: Int) -> Int64? {
        locked.withLock { $0.feeds.lastSent(to: socket) }
    }

    func recordClosed(_ socket: Int, _ close: FeedClose, by closer: FeedSocketState.Closer) {
        let now = now
        locked.withLock { $0.feeds.recordClosed(socket, close, by: closer, at: now) }
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
