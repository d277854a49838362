import Basics
import Model
import Profiles

extension FindingRule {
    static let badHeader = FindingRule(
        "bad-header",
        .bug,
        summary: "A request presents no token, several, or one of the wrong kind or size.",
        remedy: "Set the header, do not append to it; send nothing where there is no token.",
        references: [
            "icerockdev/moko-network#17", "benbaran/adal-angular4#108", "quarkusio/quarkus#36810",
            "fenichelar/ember-simple-auth-token#221",
        ],
        watch: { BadHeaderWatch() }
    )
}

private struct BadHeaderWatch: FindingWatch {
    func observe(
        _ fact: ObservedFact,
        _ traffic: ObservedTraffic,
        at moment: Moment
    ) -> [FindingDraft] {
        if let exchange = fact.over(in: traffic) {
            return wrongRole(exchange, traffic) + missingRefresh(exchange, traffic)
                + doubledCookie(exchange, traffic) + refusedForm(exchange, traffic)
                + lostToken(exchange, traffic) + tooLarge(exchange)
        }
        guard let exchange = fact.started(in: traffic), exchange.purpose != .preflight else {
            return []
        }
        return exchange.request.flaws.filter { !$0.isTolerated }.prefix(1).map {
            flaw -> FindingDraft in
            let (variant, what) = Self.text(flaw)
            let cause = cause(of: flaw, in: exchange, traffic)
            let isPage = cause?.answer?.isPage == true
            let text = cause.map { cause in
                ": #\(cause.number), \(cause.result)"
                    + (cause.answer?.errorCode.map { " (\($0))" } ?? "")
                    + ", had brought no token, "
                    + (isPage ? "but a page" : "and the app did not notice")
            }
            var draft = FindingDraft(
                exchange,
                variant: variant,
                evidence: [cause?.evidence("brought no token")].compactMap(\.self)
                    + [exchange.evidence(what)],
                message: "#\(exchange.number) sends \(what)" + (text ?? "")
            )
            if flaw.isMissing { draft.remedy = Self.remedyOfNoToken }
            return draft
        }
    }

    private static let remedyOfNoToken = """
        Look whether an answer has brought a token before it is stored, and send nothing where there \
        is none.
        """
    private static let remedyOfWrongToken = """
        Send the access token to the API, and the refresh token to the token endpoint alone: keep them \
        under different names.
        """

    /// The newest login or refresh of the client before it that was answered with success, if it brought
    /// no token, as the page of a portal does, or a refusal with 200.
    private func cause(
        of flaw: CredentialFlaw,
        in exchange: ObservedExchange,
        _ traffic: ObservedTraffic
    ) -> ObservedExchange? {
        guard flaw.isMissing else { return nil }
        let newest = traffic.newest(Self.depth) { other in
            other.client == exchange.client && other.number < exchange.number
                && other.answer?.isSuccess == true
                && (other.purpose == .refresh || other.purpose == .login
                    || other.request.isNamedRefresh)
        }
        return newest?.outcome == .issued ? nil : newest
    }

    private static let depth = 256

    private static func text(_ flaw: CredentialFlaw) -> (variant: String, what: String) {
        switch flaw {
        case .placeholder(let text): ("placeholder", "“\(text)” in the place of a token")
        case .empty: ("empty", "nothing in the place of a token")
        case .repeated(let count): ("repeated", "\(count) Authorization headers")
        case .joined(let count): ("joined", "\(count) tokens in one header")
        case .quoted: ("form", "a token in quotes")
        case .doubledScheme: ("form", "the scheme “Bearer” twice")
        case .noScheme: ("form", "a token without a scheme")
        case .misspeltScheme(let text): ("form", "a token with the scheme “\(text)”")
        case .unescapedPlus:
            ("altered", "a token whose + is a blank, since the form does not escape it")
        case .cut(let bytes, let size):
            ("altered", "the first \(bytes) bytes of a token of \(size)")
        }
    }

    /// A backend that does not read as many bytes of header fields as the tokens in them take (RFC 6585
    /// section 5; 494 is that of nginx).
    private func tooLarge(_ exchange: ObservedExchange) -> [FindingDraft] {
        guard let status = exchange.status, [431, 494].contains(status) else { return [] }
        let fields = exchange.request.occurrences.filter {
            [.authorization, .header, .cookie].contains($0.place)
        }
        guard let largest = fields.max(by: { $0.token.byteCount < $1.token.byteCount }),
            largest.token.byteCount >= Self.largeSize
        else { return [] }
        let what = largest.place == .cookie ? "cookie \(largest.name)" : "token"
        var draft = FindingDraft(
            exchange,
            variant: "too-large",
            severity: .risk,
            confidence: .likely,
            evidence: [exchange.evidence("a \(what) of \(largest.token.byteCount) bytes")],
            message:
                "#\(exchange.number) is refused for the size of its header fields (\(status)), of "
                + "which its \(what) has \(largest.token.byteCount) bytes"
        )
        draft.remedy = """
            Keep lists of groups and rights out of the token, or store what it says on the server; raise \
            the limit of every server on the way.
            """
        return [draft]
    }

    /// Half of the least limit that servers have, in bytes.
    private static let largeSize = 2_048

    /// Whether a token was in the place of one of another kind, which the answer tells: where it is
    /// taken for a refresh, it was one.
    private func wrongRole(
        _ exchange: ObservedExchange,
        _ traffic: ObservedTraffic
    ) -> [FindingDraft] {
        let request = exchange.request
        guard request.flaws.allSatisfy(\.isUsual), exchange.outcome != .issued else { return [] }
        let isUse = [.protected, .socket, .stream, .other].contains(exchange.purpose)
        let asAccess = request.occurrences.contains {
            $0.place == .authorization && traffic.graph.node($0.fingerprint)?.role == .refresh
        }
        let asAccessID = isIDToken(exchange, traffic)
        let asRefresh = request.occurrences.contains {
            $0.role == .refresh && $0.place == .body
                && traffic.graph.node($0.fingerprint)?.role == .access
        }
        let what: String
        if isUse, asAccess {
            what = "a refresh token in the place of an access token"
        } else if isUse, asAccessID {
            what = "an ID token in the place of an access token"
        } else if exchange.purpose == .refresh, asRefresh, !isTaken(exchange) {
            what = "an access token in the place of a refresh token"
        } else {
            return []
        }
        let isDoubtful = isUse && (asAccessID || mayBeRefresh(exchange, traffic))
        let doubt = isDoubtful ? ", unless the backend asks for that there" : ""
        var draft = FindingDraft(
            exchange,
            variant: "wrong-token",
            confidence: isDoubtful ? .likely : .certain,
            evidence: [exchange.evidence(what)],
            message: "#\(exchange.number) sends \(what)\(doubt): \(exchange.result)"
        )
        draft.remedy = Self.remedyOfWrongToken
        return [draft]
    }

    /// Whether an answer succeeds, and does not say that it has failed: what the request presented was
    /// good for it, whatever it is taken for here.
    private func isTaken(_ exchange: ObservedExchange) -> Bool {
        if case .refreshRefused = exchange.outcome { return false }
        return exchange.answer?.isSuccess == true
    }

    /// Whether the ID token of an answer is refused, which had an access token as well.
    ///
    /// Some backends take ID tokens: where one was accepted, the refusal is about something else.
    private func isIDToken(_ exchange: ObservedExchange, _ traffic: ObservedTraffic) -> Bool {
        guard exchange.outcome == .tokenRefused, let token = exchange.access,
            token.place == .authorization,
            traffic.graph.node(token.fingerprint)?.role == .id,
            let pair = traffic.graph.generation(of: token.fingerprint),
            pair.access.map({ $0.fingerprint != token.fingerprint }) ?? false
        else { return false }
        return !traffic.newestFirst.contains { other in
            guard let access = other.access, other.outcome == .accepted else { return false }
            return traffic.graph.node(access.fingerprint)?.role == .id
        }
    }

    /// A refresh with the access token alone, although the app has a refresh token.
    private func missingRefresh(
        _ exchange: ObservedExchange,
        _ traffic: ObservedTraffic
    ) -> [FindingDraft] {
        let request = exchange.request
        guard request.isNamedRefresh, request.method != "GET",
            request.flaws.allSatisfy(\.isUsual),
            exchange.refresh == nil, exchange.outcome != .issued, let status = exchange.status,
            [400, 401, 403, 422].contains(status), !isRenewedElsewhere(exchange, traffic)
        else { return [] }
        let what: String
        if let access = exchange.access {
            guard access.place == .authorization,
                let refresh = traffic.family(of: exchange)?.liveRefreshToken,
                refresh != access.fingerprint
            else { return [] }
            what = "the access token alone, although the app has a refresh token"
        } else {
            guard hasUnsentRefresh(exchange, traffic) else { return [] }
            what = "no token, although the app has a refresh token"
        }
        var draft = FindingDraft(
            exchange,
            variant: "no-refresh-token",
            confidence: .likely,
            evidence: [exchange.evidence("a refresh without the refresh token")],
            message: "#\(exchange.number) asks for a renewal with \(what): \(exchange.result)"
        )
        draft.remedy =
            exchange.access == nil
            ? "Send the refresh token in the place in which the endpoint reads it: body, header or cookie."
            : Self.remedyOfWrongToken
        return [draft]
    }

    /// An app that presented a good token, and presents none from one request on.
    ///
    /// One that has signed its user out without a word to the backend may still ask who is there, at one
    /// endpoint.
    private func lostToken(
        _ exchange: ObservedExchange,
        _ traffic: ObservedTraffic
    ) -> [FindingDraft] {
        guard isWithoutToken(exchange), exchange.status == 401 else { return [] }
        let own = traffic.newestFirst.prefix(Self.depth).filter {
            $0.client == exchange.client && $0.request.origin == exchange.request.origin
                && $0.purpose != .preflight
        }
        let taken = own.filter { $0.isTaken && $0.access?.place == .authorization }
        let endpoints = Set(taken.map(\.request.endpoint))
        let row = own.prefix { isWithoutToken($0) }.filter {
            $0.status == 401 && endpoints.contains($0.request.endpoint)
        }
        guard row.count >= Self.lost.count, let first = row.last,
            exchange.startedAt.now.seconds(since: first.startedAt.now) >= Self.lost.seconds,
            Set(row.map(\.request.endpoint)).count > 1,
            let last = own.first(where: { $0.access != nil }), last.isTaken,
            traffic.family(of: last).map({ $0.end == nil }) == true,
            traffic.accessDeadline(of: last).map({ exchange.startedAt.now < $0.statedEnd }) ?? true
        else { return [] }
        var draft = FindingDraft(
            first,
            variant: "lost",
            severity: .risk,
            confidence: .likely,
            evidence: [last.evidence("the last request with a token, accepted")]
                + row.reversed().prefix(Self.lost.count).map { $0.evidence("without one, refused") },
            message: "\(row.count) requests since #\(last.number) present no token, and are refused"
                + " where others were accepted with one: the app has lost it, or has signed out "
                + "without a word to the backend"
        )
        draft.path = nil
        draft.remedy = Self.remedyOfLostToken
        return [draft]
    }

    /// The refused requests without a token that are no beginning of a login, and the seconds that they
    /// take: some programs ask without one, and repeat that with one.
    private static let lost = (count: 3, seconds: 5.0)
    private static let remedyOfLostToken = """
        Read the token where a request is built, from a store that a reload and a second client of the \
        app share.
        """

    private func isWithoutToken(_ exchange: ObservedExchange) -> Bool {
        let request = exchange.request
        return [.other, .protected].contains(exchange.purpose) && request.presented.isEmpty
            && request.flaws.isEmpty && !request.hasCredentials && !request.usesBasic
    }

    /// Whether the session is renewed at another endpoint: what else can be refreshed is data.
    private func isRenewedElsewhere(
        _ exchange: ObservedExchange,
        _ traffic: ObservedTraffic
    ) -> Bool {
        let renewal = traffic.newest(ObservedTraffic.exchangeLimit) {
            $0.purpose == .refresh && $0.outcome == .issued && $0.client == exchange.client
                && $0.request.origin == exchange.request.origin
        }
        return renewal.map { $0.request.endpoint != exchange.request.endpoint } ?? false
    }

    /// Whether a request that presents nothing is of an app that has got a refresh token in the body of an
    /// answer, and has to send it itself.
    private func hasUnsentRefresh(_ exchange: ObservedExchange, _ traffic: ObservedTraffic) -> Bool
    {
        guard exchange.request.presented.isEmpty, !exchange.request.hasCredentials else {
            return false
        }
        let own = traffic.graph.families.values.filter {
            $0.end == nil && $0.origin == exchange.request.origin
                && $0.clients.contains(exchange.client)
        }
        guard own.count == 1, let family = own.first, let refresh = family.liveRefreshToken,
            let source = family.holder(of: refresh).flatMap({ traffic.exchange($0.exchange) })
        else { return false }
        return source.answer?.issued.contains { $0.fingerprint == refresh && $0.place == .body }
            ?? false
    }

    /// A token that is presented in no form that RFC 6750 has, or not as it was issued, and refused.
    private func refusedForm(
        _ exchange: ObservedExchange,
        _ traffic: ObservedTraffic
    ) -> [FindingDraft] {
        guard let flaw = exchange.request.flaws.first(where: \.isTolerated), isRefused(exchange),
            !flaw.isUsual || isFirstUse(exchange, traffic)
        else { return [] }
        let wasTaken = traffic.newest(Self.depth) {
            isTaken($0) && $0.request.flaws.contains(flaw)
                && $0.request.endpoint == exchange.request.endpoint
        }
        guard wasTaken == nil else { return [] }
        let (variant, what) = Self.text(flaw)
        let isAltered = variant == "altered"
        var draft = FindingDraft(
            exchange,
            variant: variant,
            confidence: flaw.isUsual || isAltered ? .likely : .certain,
            evidence: [exchange.evidence(what)],
            message: "#\(exchange.number) sends \(what)\(isAltered ? "" : " in Authorization"): "
                + exchange.result
        )
        if isAltered { draft.remedy = Self.remedyOfAlteredToken }
        if flaw.isUsual { draft.remedy = "Send `Authorization: Bearer` and the token (RFC 6750)." }
        return [draft]
    }

    private static let remedyOfAlteredToken = """
        Send a token byte by byte as it came: escape it in a form, and store it where its whole length has \
        room.
        """

    private func isRefused(_ exchange: ObservedExchange) -> Bool {
        switch exchange.outcome {
        case .tokenRefused, .refreshRefused, .loginRefused: true
        default: exchange.purpose == .refresh ? exchange.status == 400 : exchange.status == 401
        }
    }

    /// Whether a token is refused right after its issue, and the backend has taken none of its session: the
    /// form may be the reason.
    private func isFirstUse(_ exchange: ObservedExchange, _ traffic: ObservedTraffic) -> Bool {
        guard let access = exchange.access?.fingerprint,
            let pair = traffic.graph.generation(of: access), pair.kind != .joined,
            exchange.startedAt.now.seconds(since: pair.pair.issuedAt.now) <= Self.newness,
            pair.pair.accessExpiry.map({ exchange.startedAt.now < $0.at }) ?? true
        else { return false }
        return !traffic.newestFirst.prefix(Self.depth).contains { other in
            other.outcome == .accepted && other.request.flaws.contains(where: \.isUsual)
                && other.request.origin == exchange.request.origin
        }
    }

    /// A token that is refused so soon after its issue has not ended, in seconds.
    private static let newness = 60.0

    /// Two cookies of one name, of which the backend reads the wrong one, as its refusal tells.
    private func doubledCookie(
        _ exchange: ObservedExchange,
        _ traffic: ObservedTraffic
    ) -> [FindingDraft] {
        guard let name = exchange.request.doubledCookies?.first,
            exchange.outcome == .tokenRefused || exchange.status == 401
        else { return [] }
        // Where both were sent before, and taken, it is not their number.
        let wasTaken = traffic.newest(Self.depth) {
            $0.outcome == .accepted && $0.request.doubledCookies?.contains(name) == true
                && $0.client == exchange.client
        }
        guard wasTaken == nil else { return [] }
        var draft = FindingDraft(
            exchange,
            variant: "two-cookies",
            confidence: .likely,
            evidence: [exchange.evidence("two values of \(name)")],
            message: "#\(exchange.number) sends two cookies with the name \(name), set for other "
                + "paths or domains, and the backend reads one of them: \(exchange.result)"
        )
        draft.remedy = Self.remedyOfTwoCookies
        return [draft]
    }

    private static let remedyOfTwoCookies = """
        Set the cookie with one Path and one Domain everywhere, and delete the other one by exactly \
        those with which it was set.
        """

    /// Whether a request may ask for new tokens, or end the session, at an endpoint that is known for
    /// nothing else.
    private func mayBeRefresh(_ exchange: ObservedExchange, _ traffic: ObservedTraffic) -> Bool {
        guard !["GET", "HEAD"].contains(exchange.request.method) else { return false }
        return !traffic.exchanges.contains { other in
            other.request.endpoint == exchange.request.endpoint && other.access != nil
                && other.purpose == .protected
        }
    }
}
