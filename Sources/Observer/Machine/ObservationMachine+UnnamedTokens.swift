import Basics
import Model
import Profiles

/// Tokens under names that say nothing of them, known by what they are used for.
///
/// An answer has texts that may be tokens. One that a request presents as its access token is one, and
/// the answer was that of a login; one that comes back with a request whose answer brings the next
/// access token is a refresh token. Ids, and values against forged requests, come back, too: with
/// requests that bring nothing, beside a password, or as the same value beside others.
struct UnnamedTokens: Sendable {
    /// A text of an answer.
    struct Text: Sendable {
        let exchange: Int
        let occurrence: TokenOccurrence
    }

    /// The place of a value in messages with an origin.
    private struct Place: Hashable {
        let origin: String
        let place: FoundToken.Place
        let name: String

        init(_ occurrence: TokenOccurrence, of origin: String) {
            self.origin = origin
            place = occurrence.place
            name = occurrence.name.plainName
        }
    }

    /// The texts by their fingerprints.
    private var texts = RecentMap<Fingerprint, Text>(limit: 1_024)
    /// The places of tokens in answers, with the endpoints that have shown it.
    private var roles = RecentMap<Place, (role: TokenRole, endpoint: String)>(limit: 256)
    /// The places of values in requests that renew nothing.
    private var common = RecentMap<Place, Bool>(limit: 1_024)
    /// The texts that have come back in bodies, with requests that brought nothing.
    private var repeated = RecentMap<Fingerprint, Bool>(limit: 1_024)

    subscript(fingerprint: Fingerprint) -> Text? { texts[fingerprint] }

    mutating func add(_ facts: AnswerFacts, of exchange: ObservedExchange) {
        for occurrence in facts.unnamed ?? [] where texts[occurrence.fingerprint] == nil {
            texts[occurrence.fingerprint] = Text(
                exchange: exchange.number,
                occurrence: occurrence
            )
        }
    }

    /// Takes in that a token is one of a kind, and that other ones at its place are, too, unless an answer
    /// has several there.
    mutating func learn(_ role: TokenRole, of text: Text, in exchange: ObservedExchange) {
        let request = exchange.request
        let place = Place(text.occurrence, of: request.origin)
        let others = exchange.answer?.unnamed ?? []
        guard others.count(where: { Place($0, of: request.origin) == place }) <= 1 else { return }
        roles[place] = (role, request.endpoint)
    }

    /// Takes in a request that brought no tokens, and what came with it.
    mutating func recordUse(_ exchange: ObservedExchange) {
        for occurrence in exchange.request.returned ?? [] where occurrence.place == .body {
            repeated[occurrence.fingerprint] = true
        }
        guard exchange.purpose == .protected else { return }
        for occurrence in exchange.request.presented
        where occurrence.role == .unknown && occurrence.place != .authorization {
            common[Place(occurrence, of: exchange.request.origin)] = true
        }
    }

    /// Whether a text has come back in a body before.
    func isRepeated(_ text: Fingerprint) -> Bool { repeated[text] != nil }

    /// Whether a value comes with requests of any kind, as ids do.
    func isCommon(_ occurrence: TokenOccurrence, of origin: String) -> Bool {
        common[Place(occurrence, of: origin)] != nil
    }

    /// Adds the tokens of an answer that earlier ones have shown to be such.
    func name(in facts: inout AnswerFacts, of exchange: ObservedExchange) {
        guard let unnamed = facts.unnamed, facts.meaning == nil else { return }
        let request = exchange.request
        let places = unnamed.map { Place($0, of: request.origin) }
        func token(_ role: TokenRole) -> TokenOccurrence? {
            for (occurrence, place) in zip(unnamed, places) {
                guard let known = roles[place], known.role == role,
                    places.count(where: { $0 == place }) == 1
                else { continue }
                // A name such as `key` has other values in other answers.
                guard
                    role == .refresh || known.endpoint == request.endpoint || request.hasCredentials
                        || exchange.refresh != nil
                        || request.presented.contains(where: { texts[$0.fingerprint] != nil })
                else { continue }
                var token = occurrence
                token.role = role
                if role == .refresh {
                    // What the answer states is said of the access token.
                    (token.expiryField, token.expiry) = (nil, nil)
                }
                return token
            }
            return nil
        }
        func has(_ roles: TokenRole...) -> Bool {
            facts.issued.contains { roles.contains($0.role) }
        }
        if !has(.access, .session), let access = token(.access) { facts.issued.append(access) }
        if has(.access, .session), !has(.refresh), let refresh = token(.refresh) {
            facts.issued.append(refresh)
        }
    }
}

extension ObservationMachine {
    /// A request that presented a refresh token under a name that says nothing of it.
    struct UnnamedRenewal {
        let refresh: TokenOccurrence
        let text: UnnamedTokens.Text
        let family: Int
        let generation: TokenGeneration
    }

    /// Returns the refresh token that a request presented whose answer brought an access token, or
    /// `nil` if there is none that nothing else explains.
    func unnamedRenewal(_ exchange: ObservedExchange, _ facts: AnswerFacts) -> UnnamedRenewal? {
        let request = exchange.request
        guard !hasOtherCredentials(request) else { return nil }
        let found = request.presented.compactMap { occurrence -> (UnnamedRenewal, Bool)? in
            // The scheme of a token says nothing of its kind.
            guard occurrence.role == .unknown || occurrence.place == .authorization,
                occurrence.place != .path, let text = unnamed[occurrence.fingerprint],
                let renewal = renewal(of: occurrence, text, exchange, facts)
            else { return nil }
            let isReplaced = Self.isReplaced(text.occurrence, in: facts)
            let isAlone = isAlone(occurrence, in: exchange)
            return isReplaced || isAlone ? (renewal, isReplaced) : nil
        }
        let replaced = found.filter(\.1)
        return (replaced.isEmpty ? found : replaced).map(\.0).max {
            $0.refresh.token.byteCount < $1.refresh.token.byteCount
        }
    }

    private func renewal(
        of occurrence: TokenOccurrence,
        _ text: UnnamedTokens.Text,
        _ exchange: ObservedExchange,
        _ facts: AnswerFacts
    ) -> UnnamedRenewal? {
        guard let source = traffic.exchange(text.exchange), source.outcome == .issued,
            let family = traffic.family(of: source),
            source.request.origin == exchange.request.origin,
            let generation = family.generations.last(where: { $0.exchange == source.number }),
            generation.refresh == nil, generation.access?.fingerprint != occurrence.fingerprint,
            exchange.access == nil || exchange.access?.fingerprint == occurrence.fingerprint
                || exchange.family == family.id,
            !unnamed.isCommon(occurrence, of: exchange.request.origin)
        else { return nil }
        let tokens = facts.issued.filter { $0.role == .access || $0.role == .session }
        let isOfSameUser = tokens.allSatisfy { token in
            let (new, old) = (token.token.claims["sub"], generation.access?.claims["sub"])
            return traffic.graph.node(token.fingerprint) == nil
                && (new == nil || old == nil || new == old)
        }
        guard isOfSameUser else { return nil }
        return UnnamedRenewal(
            refresh: occurrence,
            text: text,
            family: family.id,
            generation: generation
        )
    }

    /// Whether an answer brings another value where an earlier one had brought a text.
    private static func isReplaced(_ text: TokenOccurrence, in facts: AnswerFacts) -> Bool {
        facts.issued.contains { $0.role == .refresh && $0.fingerprint != text.fingerprint }
            || (facts.unnamed ?? []).contains {
                $0.place == text.place && $0.name == text.name
                    && $0.fingerprint != text.fingerprint
            }
    }

    /// Whether nothing but a value can have brought tokens: it is no cookie, and alone in its request.
    private func isAlone(_ value: TokenOccurrence, in exchange: ObservedExchange) -> Bool {
        let request = exchange.request
        guard value.place != .cookie, request.isNamedRefresh || request.method != "GET" else {
            return false
        }
        if request.isNamedRefresh { return true }
        let others = (request.body?.fields ?? []).filter { field in
            switch field.value {
            case .text, .texts, .flag: false
            case .token, .credential, .other: field.path != value.path
            }
        }
        return others.isEmpty && request.returned?.count { $0.place != .path } ?? 1 == 1
            && (exchange.access == nil || exchange.access?.fingerprint == value.fingerprint)
    }

    /// Whether a request has credentials of a user, or such as are good for one login.
    private func hasOtherCredentials(_ request: RequestFacts) -> Bool {
        guard request.hasCredentials else { return false }
        let fields = request.body?.fields.filter { $0.value == .credential } ?? []
        return fields.isEmpty
            || !fields.allSatisfy { field in
                (field.path.parts(at: ".").last ?? "").plainName.begins(with: "client")
            }
    }

    /// Takes in that a request names as its refresh token what an answer had brought under another
    /// name.
    mutating func adoptNamed(_ exchange: inout ObservedExchange) {
        guard let refresh = exchange.refresh, traffic.graph.node(refresh) == nil,
            let text = unnamed[refresh], let source = traffic.exchange(text.exchange),
            source.outcome == .issued, let family = traffic.family(of: source),
            let generation = family.generations.last(where: { $0.exchange == source.number }),
            generation.refresh == nil
        else { return }
        let renewal = UnnamedRenewal(
            refresh: text.occurrence,
            text: text,
            family: family.id,
            generation: generation
        )
        adopt(renewal, in: &exchange)
    }

    /// Returns the one cookie that a request for a refresh presents, which scripts cannot read, and which
    /// a login had brought beside its access token, or `nil`.
    func unnamedRefreshCookie(_ facts: RequestFacts) -> Fingerprint? {
        guard facts.isNamedRefresh, facts.method != "GET",
            facts.occurrences.allSatisfy({ $0.role == .unknown })
        else { return nil }
        let cookies = facts.occurrences.filter { occurrence in
            guard occurrence.place == .cookie, let text = unnamed[occurrence.fingerprint],
                let source = traffic.exchange(text.exchange), source.outcome == .issued,
                source.request.origin == facts.origin
            else { return false }
            return source.answer?.cookies.contains {
                $0.value == occurrence.fingerprint && $0.flags.contains("httponly")
            } ?? false
        }
        return cookies.count == 1 ? cookies.first?.fingerprint : nil
    }

    /// The session whose answer has brought a text that a request presents.
    func familyOfReturned(in facts: RequestFacts) -> Int? {
        (facts.returned ?? []).lazy.compactMap(unnamedFamily).first
    }

    /// The session whose answer has brought a text under a name that says nothing of it.
    func unnamedFamily(of text: TokenOccurrence) -> Int? {
        unnamed[text.fingerprint].flatMap { traffic.exchange($0.exchange)?.family }
    }

    /// Takes in that a request renews with a token that had come beside the access token.
    mutating func adopt(_ token: TokenOccurrence, in exchange: inout ObservedExchange) {
        guard let family = traffic.family(of: exchange), let pair = family.newestGeneration else {
            return
        }
        traffic.graph.add(token.token, as: .refresh, to: family.id, generation: pair)
        traffic.graph.change(family.id) { $0.isRefreshInferred = true }
        exchange.refresh = token.fingerprint
        exchange.refreshGeneration = pair.number
        (exchange.access, exchange.generation) = (nil, nil)
    }

    /// Takes in that a text of an answer was the refresh token of its pair.
    mutating func adopt(_ renewal: UnnamedRenewal, in exchange: inout ObservedExchange) {
        let refresh = renewal.text.occurrence.token
        traffic.graph.add(
            refresh,
            as: .refresh,
            to: renewal.family,
            generation: renewal.generation
        )
        if let source = traffic.exchange(renewal.text.exchange), var facts = source.answer {
            unnamed.learn(.refresh, of: renewal.text, in: source)
            unnamed.name(in: &facts, of: source)
            change(source.number) { $0.answer = facts }
        }
        exchange.refresh = refresh.fingerprint
        exchange.family = renewal.family
        exchange.refreshGeneration = renewal.generation.number
        if exchange.access?.fingerprint == refresh.fingerprint {
            (exchange.access, exchange.generation) = (nil, nil)
        }
    }

    /// Returns the access token of a request under a name that says nothing of it: the one text of an
    /// answer that comes back where tokens are presented.
    func unnamedAccess(_ facts: RequestFacts) -> TokenOccurrence? {
        guard facts.purpose == nil, facts.authorization == nil, !facts.hasCredentials,
            !facts.occurrences.contains(where: { $0.role != .unknown && $0.place != .query })
        else { return nil }
        let found = facts.presented.filter { isUnnamedAccess($0, in: facts) }
        // Ids of users and of devices come beside it.
        let named = found.filter { occurrence in
            unnamed[occurrence.fingerprint].map { isNamedSecret($0) } ?? false
        }
        let tokens = [found, named].first { Set($0.map(\.fingerprint)).count == 1 }
        guard var token = tokens?.first else { return nil }
        token.role = .access
        return token
    }

    /// Whether a text of an answer that belongs to no session comes back as an access token does.
    ///
    /// What `Authorization` presents is one. So is what a header field has, if it is the answer to
    /// somebody's credentials, or was called a secret. Parameters have other things, too, as bodies and
    /// cookies do: a step of a login has a text once, and programs that count visits have cookies.
    private func isUnnamedAccess(_ occurrence: TokenOccurrence, in facts: RequestFacts) -> Bool {
        guard occurrence.place != .path, let text = unnamed[occurrence.fingerprint] else {
            return false
        }
        if let node = traffic.graph.node(occurrence.fingerprint) { return node.role != .refresh }
        guard let source = traffic.exchange(text.exchange), source.family == nil,
            source.outcome == .accepted, source.request.origin == facts.origin
        else { return false }
        let isOfLogin = source.request.hasCredentials || source.request.usesBasic
        let isWhole = text.occurrence.place == .body && text.occurrence.name.isEmpty
        if occurrence.place == .authorization { return true }
        guard !facts.usesBasic else { return false }
        return switch occurrence.place {
        case .header: isOfLogin || isNamedSecret(text) || names.holdsSecret(occurrence.name)
        case .query: isOfLogin || isWhole || isNamedSession(text, again: occurrence)
        case .cookie: isOfLogin && isSessionCookie(text, of: source)
        case .body: (isOfLogin || isWhole) && unnamed.isRepeated(occurrence.fingerprint)
        case .authorization, .subprotocol, .path, .message: false
        }
    }

    /// Whether a text comes back under the name under which an answer had brought it, and that is one of
    /// sessions.
    private func isNamedSession(
        _ text: UnnamedTokens.Text,
        again occurrence: TokenOccurrence
    ) -> Bool {
        let name = text.occurrence.name.plainName
        return name == occurrence.name.plainName
            && configuration.recognition.tokens.namesSession(name)
    }

    private var names: SecretNames { configuration.recognition.secrets }

    /// Whether the name under which an answer has brought a text says that it is a secret, or the text
    /// is the whole answer.
    private func isNamedSecret(_ text: UnnamedTokens.Text) -> Bool {
        let name = text.occurrence.name
        return text.occurrence.place != .cookie && (name.isEmpty || names.holdsSecret(name))
    }

    /// Whether a text is the one cookie that the answer to a login has hidden from scripts, or is a
    /// secret of its body.
    private func isSessionCookie(
        _ text: UnnamedTokens.Text,
        of source: ObservedExchange
    ) -> Bool {
        guard text.occurrence.place == .cookie, let answer = source.answer else {
            return isNamedSecret(text)
        }
        let hidden = answer.cookies.filter { cookie in
            cookie.flags.contains("httponly")
                && (answer.unnamed ?? []).contains { $0.fingerprint == cookie.value }
        }
        return hidden.count == 1 && hidden.first?.value == text.occurrence.fingerprint
    }

    /// Takes in that a request presents as its access token what an earlier answer had brought, which
    /// belonged to no session: it was that of a login.
    ///
    /// - Returns: Whether there was one.
    mutating func claimLogin(with access: TokenOccurrence, at moment: Moment) -> Bool {
        guard access.role == .access || access.role == .session,
            let text = unnamed[access.fingerprint], var login = traffic.exchange(text.exchange),
            login.family == nil, let answer = login.answer, answer.status < 400,
            answer.meaning == nil,
            login.confidence != .exact, login.outcome == .accepted
        else { return false }
        unnamed.learn(.access, of: text, in: login)
        var facts = answer
        unnamed.name(in: &facts, of: login)
        if !bringsAccess(facts) {
            var token = text.occurrence
            token.role = .access
            facts.issued.append(token)
        }
        login.answer = facts
        login.purpose = .login
        login.outcome = .issued
        traffic.insert(login)
        issue(login, facts, at: moment)
        if let login = traffic.exchange(login.number), let delivered = login.deliveredAt {
            recordDelivery(of: login, at: delivered)
            for candidate in facts.candidates { candidates[candidate] = login.family }
        }
        return traffic.graph.node(access.fingerprint) != nil
    }
}
