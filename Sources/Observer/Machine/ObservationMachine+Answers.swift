import Basics
import Model
import Profiles

/// Refusals of one refresh token that do not say whether they are for good, one after the other.
struct BareRefusals: Sendable {
    /// The number of them that is no matter of the moment, however fast they come.
    static let limit = 10

    let first: Instant
    fileprivate(set) var last: Int
    fileprivate(set) var count = 0
}

/// The effect of an answer on a request, and on its family.
extension ObservationMachine {
    mutating func answer(
        _ started: ObservedExchange,
        _ read: AnswerFacts,
        at moment: Moment
    ) {
        var exchange = started
        var facts = read
        unnamed.name(in: &facts, of: exchange)
        exchange.answer = facts
        exchange.endedAt = moment
        traffic.record(
            latency: moment.now.seconds(since: exchange.startedAt.now),
            of: exchange.request.origin
        )
        recordClock(facts.offset, of: exchange, at: moment)
        reconsider(&exchange, facts)
        // It may have shown what the names mean.
        unnamed.name(in: &facts, of: exchange)
        exchange.answer = facts
        exchange.outcome = outcome(of: exchange, facts)
        if isInferredRefusal(exchange, facts) {
            exchange.outcome = .tokenRefused
            exchange.isRefusalInferred = true
        } else if exchange.outcome == .tokenRefused, facts.isRedirect {
            // It may ask for more than another token.
            exchange.isRefusalInferred = true
        }
        traffic.insert(exchange)
        if exchange.purpose != started.purpose { forgetRefusedUses(before: exchange) }
        learned.learn(from: exchange, in: traffic, by: configuration.recognition)
        switch exchange.outcome {
        case .issued: issue(exchange, facts, at: moment)
        case .refreshRefused(let isFinal): refuse(exchange, isFinal, at: moment)
        case .tokenRefused:
            addRolled(of: exchange, facts)
            traffic.recordRefusedUse(exchange)
            log(exchange, at: moment)
            if let family = traffic.family(of: exchange), isOfNewest(exchange, family) {
                setStatus(.refused(exchange: exchange.number), family: family.id, at: moment)
            }
        case .loggedOut:
            log(exchange, at: moment)
            if let family = exchange.family, endsSession(exchange) {
                end(family, .logout, in: exchange.number, at: moment)
            }
        case .accepted, .loginRefused, .transient, .inconclusive, .unanswered, .notSent, nil:
            // Also one that turned out to be none: it was announced.
            if started.purpose == .refresh || exchange.purpose == .refresh {
                recordFailure(of: exchange, at: moment)
            }
            log(exchange, at: moment)
            use(exchange, facts, at: moment)
        }
        if exchange.outcome == .accepted, exchange.purpose == .protected,
            let access = exchange.access
        {
            resume(exchange, at: moment)
            traffic.refusedUses.forget(traffic.countedToken(of: exchange) ?? access.fingerprint)
        }
        // A page is redirected to after its login.
        if facts.isSuccess || facts.isRedirect { unnamed.add(facts, of: exchange) }
        guard facts.isSuccess else { return }
        if exchange.outcome == .accepted, [.protected, .other].contains(exchange.purpose),
            facts.issued.isEmpty
        {
            unnamed.recordUse(exchange)
        }
        if let family = exchange.family {
            for candidate in facts.candidates { candidates[candidate] = family }
        }
    }

    /// Whether a request presented the newest access token that the app can have: the result with
    /// an older one says nothing of the session.
    private func isOfNewest(_ exchange: ObservedExchange, _ family: TokenFamily) -> Bool {
        guard let access = exchange.access, let used = exchange.generation else { return true }
        return !traffic.held(in: family).contains {
            $0.number > used && $0.isSuccessor(of: access.token)
        }
    }

    // MARK: - What it was

    /// Decides again what the request was for, now that it is known what it brought.
    private mutating func reconsider(_ exchange: inout ObservedExchange, _ facts: AnswerFacts) {
        let request = exchange.request
        guard exchange.confidence != .exact else { return }
        if exchange.purpose == .other || exchange.purpose == .protected,
            let learned = endpoints.purpose(of: request)
        {
            // Learned since it was sent.
            exchange.reclassify(as: learned)
        }
        if exchange.purpose == .other || exchange.purpose == .protected, facts.isSuccess,
            request.method != "GET", deletesToken(exchange, facts), facts.issued.isEmpty
        {
            exchange.purpose = .logout
            return
        }
        if exchange.purpose == .protected, request.endsOwnSession == true, facts.isSuccess,
            facts.issued.isEmpty
        {
            let subject = (request.subject ?? exchange.access)?.fingerprint
            guard let node = subject.flatMap({ traffic.graph.node($0) }),
                namesNoOtherSession(request, than: node.family)
            else { return }
            exchange.purpose = .logout
            exchange.isLogoutInferred = true
            exchange.family = node.family
            return
        }
        if exchange.purpose == .refresh, exchange.confidence == .likely, !request.isNamedRefresh,
            facts.isSuccess, facts.issued.isEmpty, facts.unreadCoding == nil,
            facts.shape == nil, !facts.refusesForGood, facts.saysRefusal != true
        {
            // A refresh token was presented to something else, which ends it, or says of what it is;
            // an answer that says that it has failed does not tell for what it was asked.
            exchange.purpose = .other
            endpoints.learn(.other, of: request)
            return
        }
        guard facts.status < 400, bringsAccess(facts),
            ![.refresh, .logout, .preflight].contains(exchange.purpose)
        else { return }
        if exchange.refresh == nil, exchange.access == nil { presentRefreshInPath(&exchange) }
        let presentsKnown = exchange.refresh.map { traffic.graph.node($0) != nil } ?? false
        let isByTheWay =
            exchange.access != nil && !request.isNamedRefresh
            && !request.presented.contains {
                $0.fingerprint == exchange.refresh && $0.place != .cookie
            }
        if exchange.refresh != nil, !isByTheWay, !request.hasCredentials || presentsKnown {
            exchange.purpose = .refresh
            exchange.confidence = presentsKnown ? .certain : .likely
        } else if let family = silentlyRenewed(by: exchange, facts) {
            exchange.purpose = .refresh
            (exchange.family, exchange.access, exchange.generation) = (family, nil, nil)
        } else if exchange.request.authorization != nil {
            // The session of the provider that its cookie presents is another one.
            exchange.purpose = .login
            (exchange.family, exchange.access, exchange.generation) = (nil, nil, nil)
        } else if let renewal = unnamedRenewal(exchange, facts) {
            exchange.purpose = .refresh
            exchange.confidence = .likely
            adopt(renewal, in: &exchange)
            traffic.graph.change(renewal.family) { $0.isRefreshInferred = true }
        } else if let token = renewingCookie(exchange, facts) {
            exchange.purpose = .refresh
            exchange.confidence = .likely
            adopt(token, in: &exchange)
        } else if isLogin(exchange, facts) {
            exchange.purpose = .login
        } else if let replacement = replacement(exchange, facts) {
            // The cookie of a session goes on whose provider has refused the renewal.
            if !replacement.isAskedFor, facts.refused.contains(.access) { return }
            exchange.purpose = .refresh
            exchange.confidence = replacement.isCertain ? .certain : .likely
            guard replacement.isAskedFor else { return }
            exchange.refresh = exchange.access?.fingerprint
        } else {
            return
        }
        guard exchange.confidence == .certain else { return }
        endpoints.learn(exchange.purpose, of: request)
        if exchange.renewsSessionToken { reclassifyEarlierAttempts(of: exchange) }
    }

    /// Counts as refreshes, too, what was refused before it was known what the endpoint is for.
    private mutating func reclassifyEarlierAttempts(of exchange: ObservedExchange) {
        let rivals = traffic.newestFirst.prefix(Self.searchDepth).filter { other in
            other.purpose == .protected && other.isOver
                && other.access?.fingerprint == exchange.access?.fingerprint
                && other.request.isRepeat(of: exchange.request)
        }
        for rival in rivals { change(rival.number) { $0.reclassify(as: .refresh) } }
    }

    /// The newest exchanges among which rivals are looked for.
    private static let searchDepth = 256

    /// Whether a request that brought an access token was a login.
    private func isLogin(_ exchange: ObservedExchange, _ facts: AnswerFacts) -> Bool {
        guard exchange.access != nil else {
            return exchange.request.hasCredentials || exchange.request.method != "GET"
                || exchange.request.discriminator != nil || exchange.request.usesBasic
        }
        // With a token of a session, other answers bring tokens, too: of devices, of uploads.
        return exchange.request.hasCredentials
            && facts.issued.contains { $0.role == .refresh || $0.place == .cookie }
    }

    func bringsAccess(_ facts: AnswerFacts) -> Bool {
        facts.issued.contains { $0.role == .access || $0.role == .session }
    }

    private func deletesToken(_ exchange: ObservedExchange, _ facts: AnswerFacts) -> Bool {
        let names = Set(
            exchange.request.occurrences.filter { $0.place == .cookie && $0.role != .unknown }
                .map(\.name)
        )
        return facts.cookies.contains { $0.value == nil && names.contains($0.name) }
    }

    /// Returns the cookie that a request for a refresh presents, and that brings another one: a login had
    /// brought both; `nil` if there is none.
    private func renewingCookie(
        _ exchange: ObservedExchange,
        _ facts: AnswerFacts
    ) -> TokenOccurrence? {
        guard exchange.isRenewalByName, let access = exchange.access, access.place == .cookie,
            traffic.graph.node(access.fingerprint)?.isAuxiliary == true,
            let pair = traffic.family(of: exchange)?.newestGeneration, pair.refresh == nil,
            exchange.request.occurrences.count(where: { $0.role != .unknown }) == 1,
            !facts.issued.contains(where: { $0.name == access.name || $0.role == .refresh })
        else { return nil }
        return access
    }

    /// An answer's replacement of the only token of a session.
    struct Replacement {
        let token: TokenOccurrence
        /// Whether the request was for it, and not for something else.
        let isAskedFor: Bool
        let isCertain: Bool
    }

    /// Returns the new value of the cookie or header that was presented as the session's, or the
    /// token that an endpoint named for refreshes brings for it, or `nil` if there is none.
    func replacement(
        _ exchange: ObservedExchange,
        _ facts: AnswerFacts
    ) -> Replacement? {
        guard let access = exchange.access, exchange.family != nil else { return nil }
        let others = facts.issued.filter { $0.fingerprint != access.fingerprint }
        let isAskedFor =
            exchange.isRenewalByName
            && (exchange.refresh == nil || exchange.refresh == access.fingerprint)
            && !facts.issued.contains { $0.role == .refresh }
        let samePlace = others.first { other in
            [.cookie, .header, .authorization].contains(other.place)
                && other.place == access.place && other.name.isEqualIgnoringCase(access.name)
        }
        if let samePlace {
            return Replacement(token: samePlace, isAskedFor: isAskedFor, isCertain: true)
        }
        let tokens = others.filter { $0.role == .access }
        guard isAskedFor, tokens.count == 1, let token = tokens.first, isLike(token, access) else {
            return nil
        }
        let isCertain = isOfOneUser(token.token.claims, access.token.claims)
        return Replacement(token: token, isAskedFor: true, isCertain: isCertain)
    }

    /// Whether two tokens have the same subject or, where they name none, say the same in all but times and
    /// their own number.
    private func isOfOneUser(_ new: [String: JSONValue], _ old: [String: JSONValue]) -> Bool {
        if let subject = old["sub"] { return new["sub"] == subject }
        let lasting = old.filter { !["auth_time", "exp", "iat", "jti", "nbf"].contains($0.key) }
        return !lasting.isEmpty && lasting.allSatisfy { new[$0.key] == $0.value }
    }

    /// Whether a token may take the place of another one: tickets and tokens of devices are renewed,
    /// too, and the access token goes on beside them.
    private func isLike(_ token: TokenOccurrence, _ access: TokenOccurrence) -> Bool {
        let (new, old) = (token.token.claims, access.token.claims)
        guard !new.isEmpty else {
            return old.isEmpty && !configuration.recognition.tokens.isAnyToken(token.name)
        }
        return Set(new.keys) == Set(old.keys) && new["sub"] == old["sub"]
    }

    private mutating func outcome(
        of exchange: ObservedExchange,
        _ facts: AnswerFacts
    ) -> ObservedExchange.Outcome {
        switch facts.meaning {
        case .issued: return .issued
        case .tokenRefused: return .tokenRefused
        case .accepted: return .accepted
        case .acknowledged: return .loggedOut
        case .inconclusive where facts.isTransient: return .transient
        case .inconclusive: return .inconclusive
        case .refused where exchange.purpose == .refresh:
            return .refreshRefused(isFinal: true)
        case .refusedOnce: return .refreshRefused(isFinal: isRefusedAgain(exchange))
        case .refused: return .loginRefused
        case nil: break
        }
        if facts.isTransient, exchange.purpose != .refresh || !facts.isFaultOfToken {
            return .transient
        }
        switch exchange.purpose {
        case .login where facts.status < 400 && bringsAccess(facts): return .issued
        case .login where facts.refused.contains(.login): return .loginRefused
        case .refresh where facts.status < 400 && bringsAccess(facts): return .issued
        case .refresh where facts.saysForgery == true: return .inconclusive
        case .refresh where facts.refusesForGood: return .refreshRefused(isFinal: true)
        case .refresh
        where facts.refused.contains(.refresh)
            || facts.isRedirect && facts.refused.contains(.access):
            return .refreshRefused(isFinal: isRefusedAgain(exchange))
        case .refresh where facts.isSuccess && facts.saysRefusal == true || facts.isFaultOfToken:
            return .refreshRefused(isFinal: isRefusedAgain(exchange))
        case .refresh: return .inconclusive
        case .logout:
            return facts.status < 400 || [401, 404].contains(facts.status)
                ? .loggedOut : .inconclusive
        case .login, .protected, .introspection, .userinfo, .question, .socket, .stream, .preflight,
            .other:
            break
        }
        if facts.isPage, facts.isSuccess, exchange.access?.place == .authorization {
            return .inconclusive
        }
        if exchange.access != nil, facts.refused.contains(.access) { return .tokenRefused }
        if traffic.followsRefusal(exchange) { return .inconclusive }
        // An endpoint that says who the user is answers guests, too.
        if exchange.access != nil, facts.isSuccess, facts.isNull == true { return .inconclusive }
        return facts.status < 400 || [409, 412, 422].contains(facts.status)
            ? .accepted : .inconclusive
    }

    /// Whether a client was refused a refresh token before, and that was no refusal of the moment: a
    /// gateway refuses in the same way, so that only a second one counts, some time after the first,
    /// or the last of many; and each process of an app waits for its own.
    private mutating func isRefusedAgain(_ exchange: ObservedExchange) -> Bool {
        guard let refresh = exchange.refresh, let now = exchange.endedAt?.now else { return false }
        var known = refusals[refresh] ?? [:]
        var refused = known[exchange.client] ?? BareRefusals(first: now, last: exchange.number)
        let before = traffic.exchange(refused.last)?.deliveredAt?.now
        if refused.count == 0 || before.map({ $0 <= exchange.startedAt.now }) ?? false {
            refused.count += 1
            refused.last = exchange.number
        }
        known[exchange.client] = refused
        refusals[refresh] = known
        return now.seconds(since: refused.first) >= RetryPolicy.bareRefusalGap
            || refused.count >= BareRefusals.limit
    }

    /// Whether a logout ends the session: the revocation of one access token does not, nor that of
    /// a refresh token that was replaced.
    private func endsSession(_ exchange: ObservedExchange) -> Bool {
        guard exchange.confidence != .exact else { return true }
        if let refresh = exchange.refresh, let family = traffic.graph.family(of: refresh) {
            return traffic.newestHeld(in: family)?.refresh == refresh
        }
        let path = exchange.request.template.parts(at: "/").map(\.plainName)
        let isRevocation = configuration.recognition.paths.nameRevocation(path)
        return !isRevocation || !exchange.request.occurrences.contains { $0.place == .body }
    }

    /// Whether the path of a request has an id that an answer has brought, and all of those are a
    /// session's own; or none.
    private func namesNoOtherSession(_ request: RequestFacts, than family: Int) -> Bool {
        (request.returned ?? []).allSatisfy { text in
            text.place != .path || unnamedFamily(of: text).map { $0 == family } ?? true
        }
    }

    /// Takes in that the token of a session is accepted, which what likely was its logout has not ended.
    private mutating func resume(_ exchange: ObservedExchange, at moment: Moment) {
        guard let family = traffic.family(of: exchange), family.end == .logout,
            let logout = family.endedIn.flatMap({ traffic.exchange($0) }), logout.isLogoutInferred,
            traffic.isAfter(exchange, logout.deliveredAt?.now)
        else { return }
        change(logout.number) {
            $0.purpose = .protected
            $0.outcome = .accepted
            $0.isLogoutInferred = false
        }
        endpoints.learn(.protected, of: logout.request)
        traffic.graph.change(family.id) { family in
            (family.end, family.endedAt, family.endedIn) = (nil, nil, nil)
        }
        let until = family.newestGeneration?.pair.accessExpiry?.statedEnd
        setStatus(.live(until: until), family: family.id, at: moment)
    }

    mutating func change(_ number: Int, _ body: (inout ObservedExchange) -> Void) {
        traffic.change(number, body)
    }

    mutating func logged(_ number: Int, at moment: Moment) {
        if let exchange = traffic.exchange(number) { log(exchange, at: moment) }
    }
}
