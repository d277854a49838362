package import Basics
import FoundationEssentials
import Model
package import Profiles

/// Reads what a proxy sees, and passes on facts without secrets.
///
/// It holds the secrets of exchanges that are in progress, and the last tokens, to name them
/// without computing their fingerprints again.
package struct TrafficReader: Sendable {
    /// The bytes of bodies that it holds at most, over all exchanges.
    static let heldLimit = 32 * 1024 * 1024

    let recognition: Recognition
    private let fingerprinter: Fingerprinter
    private let profile: DialectReading?
    private let keepsEveryBody: Bool
    private var open: [Int: OpenExchange] = [:]
    private var heldBytes = 0
    private var unreadParts = 0
    private var names: TokenDescriptions
    private var sent: SentSecrets
    /// The tokens that answers brought, or that were presented under names of tokens.
    private var tokens = KnownTokens()
    /// The clocks of the servers against ours, by origin.
    private var dates: [String: ServerDates] = [:]

    /// - Parameters:
    ///   - fingerprinter: Names tokens.
    ///   - recognition: The meanings of names and shapes where no dialect gives one.
    ///   - dialect: The backend's dialect, or `nil` to go by common names.
    ///   - basePaths: The possible prefixes of the paths of the dialect's backend, the likeliest
    ///     first. If there are none, the prefix is found out for each request.
    ///   - addedPaths: The prefixes that the paths of requests get on their way to the backend.
    ///   - keepsEveryBody: Whether it passes on the beginnings of all bodies that are text, and not
    ///     only of those with tokens and of refusals.
    package init(
        fingerprinter: Fingerprinter,
        recognition: Recognition = .builtIn,
        dialect: Dialect? = nil,
        basePaths: [String] = [""],
        addedPaths: [String] = [],
        keepsEveryBody: Bool = false
    ) {
        self.fingerprinter = fingerprinter
        self.recognition = recognition
        self.keepsEveryBody = keepsEveryBody
        profile = dialect.map {
            DialectReading(dialect: $0, basePaths: basePaths, addedPaths: addedPaths)
        }
        names = TokenDescriptions(fingerprinter: fingerprinter, recognition: recognition)
        sent = SentSecrets(fingerprinter: fingerprinter, names: recognition.secrets)
    }

    /// Reads one thing that was seen.
    ///
    /// - Parameters:
    ///   - input: The observed traffic.
    ///   - moment: When.
    /// - Returns: The observations, in their order; none while an exchange is incomplete.
    package mutating func read(_ input: TrafficInput, at moment: Moment) -> [ObservationInput] {
        let number = input.exchange
        switch input.kind {
        case .requestHead(let head, let connection, let peer):
            drop(number)
            open[number] = OpenExchange(
                head,
                connection: connection,
                peer: peer,
                startedAt: moment
            )
            return []
        case .requestBody(let bytes):
            let part = admitted(bytes, after: open[number]?.request.body.count)
            open[number]?.request.body += part
            return []
        case .requestEnd: return request(of: number)
        case .responseHead(let head, let corsAddedFor):
            // A 1xx answer is followed by the final one; 101 is final.
            if head.status >= 200 || head.status == 101 {
                open[number]?.begin(head, corsAddedFor: corsAddedFor)
            }
            return request(of: number)
        case .responseBody(let bytes):
            let part = admitted(bytes, after: open[number]?.response?.body.count)
            open[number]?.response?.body += part
            return []
        case .responseEnd(let bytes):
            return request(of: number) + answer(of: number, bytes: bytes, at: moment)
        case .givenUp:
            return request(of: number)
                + [ObservationInput(exchange: number, kind: .delivered(whole: false))]
        case .delivered(let isWhole):
            let earlier = request(of: number)
            if let exchange = open[number], exchange.isAnswered, exchange.response?.status != 101 {
                drop(number)
            }
            return earlier + [ObservationInput(exchange: number, kind: .delivered(whole: isWhole))]
        case .failed(let failure):
            let earlier = request(of: number)
            drop(number)
            return earlier + [ObservationInput(exchange: number, kind: .failed(failure))]
        case .socketOpened:
            let earlier = request(of: number)
            let answer = answer(of: number, bytes: 0, at: moment)
            return earlier + answer + [ObservationInput(exchange: number, kind: .socketOpened)]
        case .socketMessage(let message): return [self.message(message, of: number)]
        case .socketClosed(let end):
            drop(number)
            var end = end
            end.refusesToken =
                end.by == .backend
                ? end.code.map { recognition.refusals.isRefusal(closeCode: $0) } : false
            return [ObservationInput(exchange: number, kind: .socketClosed(end))]
        case .injected(let experiment):
            return request(of: number)
                + [ObservationInput(exchange: number, kind: .injected(experiment: experiment))]
        case .misdirected(let host, let isURL, let isAllowable):
            let host = host.inOneLine(limit: 80)
            let kind = ObservationInput.Kind.misdirected(
                host: host,
                isURL: isURL,
                isAllowable: isAllowable
            )
            return [ObservationInput(exchange: 0, kind: kind)]
        }
    }

    // MARK: - Bodies

    /// Returns how many parts of bodies were not read since the last call, because too much was held.
    mutating func takeUnreadParts() -> Int {
        defer { unreadParts = 0 }
        return unreadParts
    }

    /// Counts a part of a body, and returns what of it is held; `held` is the size of what came
    /// before it, or `nil` if there is nothing to which it belongs.
    private mutating func admitted(_ bytes: [UInt8], after held: Int?) -> ArraySlice<UInt8> {
        guard let held else { return [] }
        guard heldBytes < Self.heldLimit else {
            unreadParts += 1
            return []
        }
        let kept = bytes.prefix(max(0, TrafficInput.bodyLimit - held))
        heldBytes += kept.count
        return kept
    }

    private mutating func drop(_ number: Int) {
        guard let exchange = open.removeValue(forKey: number) else { return }
        heldBytes -= exchange.heldBytes
    }
}

// MARK: - Requests and answers

extension TrafficReader {
    /// Returns the facts of a request, unless they were returned before.
    private mutating func request(of number: Int) -> [ObservationInput] {
        guard var exchange = open[number], !exchange.isRequested else { return [] }
        exchange.isRequested = true
        let request = exchange.request
        let reading = RequestReading(request, by: recognition)
        exchange.recognized = profile?.recognize(request)
        open[number] = exchange
        var raw = reading.sightings
        var purpose = reading.purpose
        var isExact = false
        if let profile, let recognized = exchange.recognized {
            let exact = profile.facts(of: recognized)
            // A stream is a protected request to a dialect.
            if !(exact.purpose == .protected && purpose != nil) { purpose = exact.purpose }
            isExact = purpose == exact.purpose
            raw.merge(exact.sightings)
        }
        raw.removeAll(where: isRedacted)
        let matcher = TokenMatcher(
            request,
            reading,
            besides: raw,
            known: tokens,
            by: recognition
        )
        remember(raw.filter { $0.role != .unknown })
        sent.add(raw.map(\.secret) + reading.proofs)
        sent.addNamed(reading.secrets)
        raw += matcher.tokens
        let sightings = raw.map { occurrence($0, sentAt: exchange.startedAt, origin: nil) }
        let parts = raw.map { ($0.secret.reveal(), $0.secret) } + matcher.forms
        let shown = Dictionary(
            parts.map { text, secret in
                (text, names.description(of: secret, hiding: sent.known).fingerprint)
            }
        ) { first, _ in first }
        let body = reading.body(with: raw)
        let target = TargetText(request, naming: shown, hiding: sent, by: recognition)
        let facts = RequestFacts(
            connection: exchange.connection,
            client: ObservedClient(request, at: exchange.peer, hiding: sent),
            origin: exchange.origin,
            method: request.method.inOneLine(limit: 16),
            target: target.shown,
            template: target.template,
            discriminator: reading.discriminator.map { sent.known.hiding(in: $0) },
            startedAt: exchange.startedAt,
            purpose: purpose,
            confidence: isExact ? .exact : purpose == .refresh ? .certain : .likely,
            hasCredentials: reading.hasCredentials,
            isNamedRefresh: reading.isNamedRefresh,
            sightings: sightings,
            flaws: reading.flaws,
            bodyDigest: request.body.isEmpty
                ? nil
                : fingerprinter.fingerprint(
                    of: Secret(String(decoding: request.body, as: UTF8.self))
                ),
            body: body,
            excerpt: body == nil ? excerpt(of: request) : nil,
            usesBasic: reading.usesBasic,
            repeatedCookies: reading.repeatedCookies.isEmpty ? nil : reading.repeatedCookies,
            mark: request.header("X-Authtop-Mark").map { sent.hiding(in: $0, limit: 80) }
        )
        return [ObservationInput(exchange: number, kind: .requested(facts))]
    }

    /// Whether a tool has taken a token out.
    private func isRedacted(_ token: FoundToken) -> Bool {
        recognition.missing.isRedacted(token.secret.reveal())
    }

    /// The content codings of a header: the registered ones by name, since a server can write anything.
    private static func codings(_ header: String) -> String {
        let names = header.asciiLowercased.utf8.split { ", ".utf8.contains($0) }.prefix(4)
        return names.map(Substring.init).map {
            registeredCodings.contains(String($0)) ? String($0) : "unknown"
        }
        .joined(separator: ", ")
    }

    private static let registeredCodings: Set = [
        "br", "compress", "dcb", "dcz", "deflate", "gzip", "identity", "zstd",
    ]

    /// Returns an answer of the profile's backend to an exchange, or `nil` if it is none of its
    /// requests.
    func answer(_ response: BackendResponse, to number: Int) -> WireResponse? {
        guard let profile, open[number]?.recognized != nil else { return nil }
        return profile.dialect.answer(response)
    }

    private mutating func answer(
        of number: Int,
        bytes: Int,
        at moment: Moment
    ) -> [ObservationInput] {
        guard let exchange = open[number], let response = exchange.response, !exchange.isAnswered
        else { return [] }
        open[number]?.isAnswered = true
        let origin = exchange.origin
        if let date = response.date {
            dates[origin, default: ServerDates()]
                .add(date, sentAt: exchange.startedAt.wall, receivedAt: moment.wall)
        }
        let reading = AnswerReading(
            response,
            to: exchange.recognized,
            method: exchange.request.method,
            by: profile?.dialect,
            recognition: recognition,
            isEmpty: bytes == 0
        )
        var raw = reading.tokens
        var facts = AnswerFacts(status: response.status, corsAddedFor: exchange.corsAddedFor)
        facts.subject = reading.user
        facts.meaning = reading.meaning?.kind
        facts.refuses = reading.refuses
        raw.removeAll(where: isRedacted)
        // A value that is called a token and nothing else may be a word, such as `disabled`.
        sent.add(raw.filter { !recognition.tokens.isAnyToken($0.name) }.map(\.secret))
        remember(raw)
        for secret in reading.secrets where Self.looksLikeToken(secret) { tokens.add(secret) }
        sent.addNamed(raw.map(\.secret) + reading.secrets)
        facts.issued = raw.map { occurrence($0, sentAt: exchange.startedAt, origin: origin) }
        facts.candidates = reading.candidates
            .filter { !recognition.missing.isRedacted($0.reveal()) }
            .map { names.description(of: $0, hiding: sent.known).fingerprint }
        facts.cookies = reading.cookies.map { cookie in
            AnswerFacts.Cookie(
                name: sent.known.hiding(in: cookie.name.inOneLine(limit: 64)),
                value: cookie.value.map {
                    names.description(of: $0, hiding: sent.known).fingerprint
                },
                flags: cookie.flags
            )
        }
        let secrets = raw.map(\.secret) + exchange.request.possibleSecrets(by: recognition)
        lazy var known = sent.known.adding(secrets)
        func isShown(_ code: String) -> Bool {
            recognition.isPublicCode(code)
                || !code.contains(secrets) && sent.known.hiding(in: code) == code
        }
        facts.errorCode = reading.errorCode.flatMap { isShown($0) ? $0 : nil }
        facts.errorKey = facts.errorCode == nil ? nil : reading.errorKey
        facts.challenges = reading.challenges.filter(isShown)
        facts.shape = AnswerShape(response, reading.json, hiding: known, by: recognition)?.text
        facts.scopes =
            raw.isEmpty
            ? nil
            : reading.scopes.map { scopes in
                Set(scopes.map { known.hiding(in: $0, limit: 64).inOneLine(limit: 64) })
            }
        facts.retryAfter = response.retryAfter.map { wait in
            switch wait {
            case .seconds(let seconds): seconds
            case .date(let date): date.timeIntervalSince(response.date ?? moment.wall)
            }
        }
        facts.offset = dates[origin]?.offset
        facts.forbidsStoring = reading.forbidsStoring
        facts.isPage = response.isPage
        if bytes > 0, response.body.isEmpty {
            facts.unreadCoding = response.header("Content-Encoding").map(Self.codings)
        }
        facts.subject = facts.subject.map {
            sent.known.hiding(in: $0, limit: 64).inOneLine(limit: 64)
        }
        if response.status >= 400 || !raw.isEmpty || keepsEveryBody {
            facts.evidence = ResponseEvidence(
                response,
                decidedBy: reading.rule,
                hiding: known,
                by: recognition.secrets,
                bodyLimit: keepsEveryBody ? excerptLimit(of: response) : nil
            )
        }
        return [ObservationInput(exchange: number, kind: .answered(facts))]
    }

    private func excerptLimit(of response: WireResponse) -> Int {
        BodyExcerpt.isText(response.header("Content-Type")) ? BodyExcerpt.limit : 0
    }

    /// The beginning of a request's body, if every body is kept.
    private func excerpt(of request: WireRequest) -> BodyExcerpt? {
        guard keepsEveryBody else { return nil }
        return BodyExcerpt(
            request.body,
            type: request.header("Content-Type"),
            hiding: sent.known,
            by: recognition.secrets
        )
    }

    private mutating func occurrence(
        _ raw: FoundToken,
        sentAt: Moment,
        origin: String?
    ) -> TokenOccurrence {
        let description = names.description(of: raw.secret, hiding: sent.known)
        // The names in a request are the app's own.
        func answered(_ name: String) -> String {
            origin == nil ? name : sent.known.hiding(in: name)
        }
        var evidence = raw.evidence
        if let own = JSONWebToken.expiryEvidence(in: description.claims), !evidence.contains(own) {
            evidence.append(own)
        }
        return TokenOccurrence(
            place: raw.place,
            name: answered(raw.name).inOneLine(limit: 64),
            role: raw.role,
            token: description,
            expiry: origin.flatMap { origin in
                Expiry.weighing(evidence, sentAt: sentAt.wall, offset: dates[origin]?.offset)
            },
            path: raw.path.map(answered),
            expiryField: raw.expiryField.map(answered)
        )
    }
}

// MARK: - Sockets

extension TrafficReader {
    /// The most messages of a socket in which tokens are looked for by name.
    private static let firstMessages = 5
    /// The longest message that is read, in bytes.
    private static let messageLimit = 16_384

    private mutating func message(_ message: SocketMessage, of number: Int) -> ObservationInput {
        var facts = SocketMessageFacts(
            from: message.from,
            bytes: message.bytes,
            isBinary: !message.isText
        )
        let startedAt = open[number]?.startedAt
        if message.isText, message.payload.count <= Self.messageLimit, let startedAt {
            open[number]?.messages += 1
            let isFirst = (open[number]?.messages ?? 0) <= Self.firstMessages
            let text = String(decoding: message.payload, as: UTF8.self)
            // Socket.IO and Engine.IO put numbers before the value.
            let start = text.utf8.firstIndex { "{[".utf8.contains($0) } ?? text.startIndex
            let json = JSONValue(parsing: Array(text[start...].utf8))
            if message.from == .backend {
                facts.refusesToken = recognition.refusals.isRefusal(message: text, json)
            }
            if let json {
                let strings = KeyedStrings(json, by: recognition)
                facts.type = recognition.messageTypes.lazy.compactMap(strings.text).first.map {
                    sent.known.hiding(in: $0, limit: 64).inOneLine(limit: 64)
                }
                facts.number = recognition.messageNumbers.lazy.compactMap(json.value).first?
                    .numberValue.flatMap(Int64.init(exactly:))
            }
            if message.from == .app {
                facts.sightings = presented(in: text, json, isFirst: isFirst).map { raw in
                    occurrence(raw, sentAt: startedAt, origin: nil)
                }
            }
        } else if !message.isText, message.from == .app, let startedAt {
            let bytes = Array(message.payload.prefix(Self.messageLimit))
            facts.sightings = tokens.tokens(in: bytes, isBinary: true).map { secret in
                let raw = FoundToken(place: .message, name: "", role: .unknown, secret: secret)
                return occurrence(raw, sentAt: startedAt, origin: nil)
            }
        }
        return ObservationInput(exchange: number, kind: .socketMessage(facts))
    }
}

extension TrafficReader {
    /// Returns the tokens in a message of an app: in the first ones by their names, known ones in any.
    private mutating func presented(
        in text: String,
        _ json: JSONValue?,
        isFirst: Bool
    ) -> [FoundToken] {
        var found = json.map { KeyedStrings($0, by: recognition).tokens(in: .message) } ?? []
        for (name, value) in StompFrame(text, json)?.headers ?? [] {
            let role =
                name.isEqualIgnoringCase("authorization")
                ? .access
                : recognition.tokens.role(ofHeader: name) ?? recognition.tokens.role(ofKey: name)
            let token = recognition.tokens.bare(value)
            guard let role, token.isTokenText, token.utf8.count >= TokenNames.shortestToken else {
                continue
            }
            found.append(
                FoundToken(place: .message, name: name, role: role, secret: Secret(token))
            )
        }
        found.removeAll(where: isRedacted)
        let known = tokens.tokens(in: text)
        if isFirst { remember(found) }
        for index in found.indices where !isFirst { found[index].role = .unknown }
        return found
            + known.filter { secret in !found.contains { $0.secret == secret } }.map { secret in
                FoundToken(place: .message, name: "", role: .unknown, secret: secret)
            }
    }

    /// Takes tokens for such from now on, wherever they come back; a word under a name of any token is
    /// none.
    private mutating func remember(_ found: [FoundToken]) {
        for token in found where !isRedacted(token) {
            guard Self.looksLikeToken(token.secret) || !recognition.tokens.isAnyToken(token.name)
            else { continue }
            tokens.add(token.secret)
        }
    }

    private static func looksLikeToken(_ secret: Secret) -> Bool {
        UnknownSecrets.looksLikeToken(Array(secret.reveal().utf8), from: KnownTokens.shortest)
    }
}

extension ObservedClient {
    fileprivate init(_ request: WireRequest, at peer: String, hiding secrets: SentSecrets) {
        func value(_ name: String) -> String? {
            request.header(name).map { secrets.hiding(in: $0, limit: 80) }
        }
        self.init(
            peer: peer.inOneLine(limit: 64),
            userAgent: value("user-agent"),
            origin: value("origin"),
            name: value("x-authtop-client")
        )
    }
}
