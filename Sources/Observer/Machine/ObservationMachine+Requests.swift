import Basics
import Model
import Profiles

/// The purpose of a request, and its session.
extension ObservationMachine {
    mutating func begin(_ number: Int, _ facts: RequestFacts, at moment: Moment) {
        counts.add(facts)
        let known = facts.presented.first { traffic.graph.node($0.fingerprint) != nil }
        let family = known.flatMap { traffic.graph.family(of: $0.fingerprint) }
        let client = clients.client(of: facts.client, among: family?.clients ?? [])
        var exchange = ObservedExchange(number: number, request: facts, of: client)
        exchange.refresh = presentedRefresh(facts)
        adoptNamed(&exchange)
        exchange.access = presentedAccess(facts)
        classify(&exchange)
        if let access = exchange.access, traffic.graph.node(access.fingerprint) == nil {
            joinFamily(of: access, for: &exchange, at: moment)
        }
        if exchange.purpose == .refresh, exchange.refresh == nil { presentRefreshInPath(&exchange) }
        leaveOutForeignAccess(&exchange)
        let tokens = [exchange.access?.fingerprint, exchange.refresh].compactMap(\.self)
        for token in tokens { recordArrival(of: token, at: facts.startedAt) }
        let nodes = tokens.compactMap { traffic.graph.node($0) }
        exchange.family = nodes.first?.family
        if exchange.family == nil, exchange.purpose == .logout {
            exchange.family = familyOfReturned(in: facts)
        }
        if let access = exchange.access {
            exchange.generation = traffic.graph.node(access.fingerprint)?.generation
            exchange.isAccessInferred =
                unnamed[access.fingerprint] != nil
                && facts.presented.allSatisfy {
                    $0.fingerprint != access.fingerprint || $0.role == .unknown
                }
        }
        if let refresh = exchange.refresh {
            let family = traffic.graph.family(of: refresh)
            exchange.refreshGeneration =
                family?.holder(of: refresh)?.number
                ?? family?.child(of: refresh).map { $0.number - 1 }
        }
        exchange.cause = cause(of: exchange)
        exchange.mark = facts.mark ?? mark
        setMark(test: facts.mark, at: moment)
        if traffic.insert(exchange) { omit(.requests, 1, at: moment) }
        lastRequests[client] = facts.startedAt.now
        forgetRefusedUses(before: exchange)
        announce(exchange, at: moment)
    }

    /// A renewal is of the session of its refresh token, whatever else it presents: a gateway may want a
    /// token of the app itself, which is the same for all users.
    private func leaveOutForeignAccess(_ exchange: inout ObservedExchange) {
        guard exchange.purpose == .refresh, let access = exchange.access,
            let own = exchange.refresh.flatMap({ traffic.graph.node($0) }),
            traffic.graph.node(access.fingerprint)?.family != own.family
        else { return }
        exchange.access = nil
    }

    /// The access token of a request: a known one, or what looks like one in a place where only
    /// tokens are.
    private func presentedAccess(_ facts: RequestFacts) -> TokenOccurrence? {
        // A path names a token that is asked about, or ended, unless it is that of a socket.
        let isSocket = facts.purpose?.isSocket == true
        let presented = facts.occurrences.filter { $0.place != .path || isSocket }
        let known = presented.first { occurrence in
            guard let node = traffic.graph.node(occurrence.fingerprint) else {
                return candidates[occurrence.fingerprint] != nil
            }
            return node.role != .refresh && occurrence.role != .refresh
        }
        if let known { return known }
        let named = facts.occurrences.first { occurrence in
            guard occurrence.role == .access || occurrence.role == .session,
                traffic.graph.node(occurrence.fingerprint) == nil
            else { return false }
            switch occurrence.place {
            case .authorization, .header, .subprotocol, .cookie: return true
            case .query:
                return occurrence.token.format != .opaque || isSocket
            // A value under such names in a body is often no token of the session.
            case .body, .message: return facts.confidence == .exact
            case .path: return false
            }
        }
        return named ?? unnamedAccess(facts)
    }

    private func presentedRefresh(_ facts: RequestFacts) -> Fingerprint? {
        let known = facts.presented.first {
            $0.place != .path && traffic.graph.node($0.fingerprint)?.role == .refresh
        }
        if let known { return known.fingerprint }
        let named = facts.occurrences.first {
            $0.role == .refresh && traffic.graph.node($0.fingerprint) == nil
        }
        return named?.fingerprint ?? unnamedRefreshCookie(facts)
    }

    /// Takes in that a request for a refresh presents its token in its path, which in others names one
    /// that is asked about, or ended.
    func presentRefreshInPath(_ exchange: inout ObservedExchange) {
        let token = exchange.request.presented.first {
            $0.place == .path && traffic.graph.node($0.fingerprint)?.role == .refresh
        }
        guard let token, let family = traffic.graph.family(of: token.fingerprint) else { return }
        exchange.refresh = token.fingerprint
        exchange.family = family.id
        exchange.refreshGeneration = family.holder(of: token.fingerprint)?.number
    }

    /// Decides what a request is for, as far as that is known before its answer.
    private func classify(_ exchange: inout ObservedExchange) {
        let facts = exchange.request
        if facts.purpose != nil { return }
        if let learned = endpoints.purpose(of: facts) {
            exchange.reclassify(as: learned)
            return
        }
        let isInBody = facts.presented.contains {
            $0.fingerprint == exchange.refresh && [.body, .header, .query].contains($0.place)
        }
        let isInItsPlace =
            facts.isNamedRefresh && facts.method != "GET"
            && facts.occurrences.contains {
                $0.role == .refresh && traffic.graph.node($0.fingerprint)?.role == .access
            }
        if exchange.refresh != nil && (isInBody || facts.isNamedRefresh) || isInItsPlace {
            exchange.purpose = .refresh
        } else if exchange.access != nil {
            // A value that looks like a credential may be any code or number.
            exchange.purpose = .protected
        } else if facts.hasCredentials, facts.method != "GET" {
            exchange.purpose = .login
        }
    }

    /// A client that renews, logs in or logs out does not go on with what was refused.
    mutating func forgetRefusedUses(before exchange: ObservedExchange) {
        switch exchange.purpose {
        case .refresh, .logout: exchange.family.map { traffic.refusedUses.forget(family: $0) }
        case .login: traffic.refusedUses.forget(client: exchange.client)
        case .protected, .introspection, .userinfo, .question, .socket, .stream, .preflight, .other:
            break
        }
    }

    // MARK: - Why

    /// The newest exchanges among which a cause is looked for.
    private static let causeDepth = 256

    private func cause(of exchange: ObservedExchange) -> ObservedCause {
        let startedAt = exchange.startedAt.now
        func newest(where matches: (ObservedExchange) -> Bool) -> ObservedExchange? {
            traffic.newest(Self.causeDepth) { matches($0) && $0.client == exchange.client }
        }
        guard exchange.purpose == .refresh else {
            // A request that has succeeded since then is no longer repeated.
            let last = newest {
                $0.isOver && $0.request.isRepeat(of: exchange.request)
                    && startedAt.seconds(since: ($0.deliveredAt ?? $0.startedAt).now) <= 10
            }
            // With the token that was refused, another caller of the client may send its own.
            guard let last, last.outcome == .tokenRefused,
                exchange.access?.fingerprint != last.access?.fingerprint
            else { return .unknown }
            return .retry(of: last.number)
        }
        let failed = newest {
            $0.purpose == .refresh && $0.refresh == exchange.refresh
                && ($0.isOver && $0.outcome != .issued || $0.isAnswerLost)
                && startedAt.seconds(since: $0.startedAt.now) <= 60
        }
        if let failed { return .retry(of: failed.number) }
        let refused = newest {
            guard $0.outcome == .tokenRefused, $0.family == exchange.family,
                let at = $0.deliveredAt
            else { return false }
            return startedAt.seconds(since: at.now) <= 2
        }
        if let refused { return .refused(exchange: refused.number) }
        let last = lastRequests[exchange.client]
        if last.map({ startedAt.seconds(since: $0) > 30 }) ?? true, exchange.family == nil {
            return .start
        }
        guard let deadline = traffic.family(of: exchange)?.newestGeneration?.pair.accessExpiry
        else {
            return .unknown
        }
        let left = deadline.statedEnd.seconds(since: startedAt)
        return left >= 0 ? .beforeEnd(seconds: left) : .afterEnd(seconds: -left)
    }
}
