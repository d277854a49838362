import Basics
import Model
import Profiles

/// The facts of requests.
extension TrafficReader {
    /// Returns the facts of a request, unless they were returned before.
    mutating func request(of number: Int) -> [ObservationInput] {
        guard var exchange = open[number], !exchange.isRequested else { return [] }
        exchange.isRequested = true
        var request = exchange.request
        request.body = GRPCMessage.readable(request.body, request.headers)
        let reading = RequestReading(request, by: recognition)
        exchange.recognized = profile?.recognize(request)
        open[number] = exchange
        var raw = reading.foundTokens
        var purpose = reading.purpose
        var isExact = false
        if let profile, let recognized = exchange.recognized {
            let exact = profile.facts(of: recognized)
            // A stream is a protected request to a dialect.
            if !(exact.purpose == .protected && purpose != nil) { purpose = exact.purpose }
            isExact = purpose == exact.purpose
            raw.merge(exact.foundTokens)
        }
        raw.removeAll { isRedacted($0) }
        let matches = TokenMatcher(
            request,
            reading,
            besides: raw,
            known: tokens,
            unnamed: unnamed,
            by: recognition
        )
        .matches
        let damage = damage(raw, reading)
        remember(raw.filter { $0.role != .unknown })
        sent.add(raw.map(\.secret) + reading.proofs)
        sent.addNamed(reading.secrets)
        raw += matches.tokens
        open[number]?.isOfDevelopmentServer = reading.isOfDevelopmentServer
        var occurrences =
            reading.isOfDevelopmentServer
            ? [] : raw.map { occurrence($0, sentAt: exchange.startedAt, origin: nil) }
        let subject = takeSubject(from: &occurrences)
        let parts = raw.map { ($0.secret.reveal(), $0.secret) } + matches.forms
        let shown = Dictionary(
            parts.map { text, secret in
                (text, names.description(of: secret, hiding: sent.known).fingerprint)
            }
        ) { first, _ in first }
        let returned =
            reading.isOfDevelopmentServer
            ? [] : matches.returned.map { occurrence($0, sentAt: exchange.startedAt, origin: nil) }
        let body = reading.body(with: raw + matches.returned)
        let ownBody = matches.returned.isEmpty ? body : reading.body(with: raw)
        let target = TargetText(request, naming: shown, hiding: sent, by: recognition)
        sent.addNamed(target.secrets)
        let facts = RequestFacts(
            connection: exchange.connection,
            client: ObservedClient(
                request,
                at: exchange.peer,
                process: processes?.process(of: exchange.connection),
                hiding: sent
            ),
            origin: exchange.origin,
            method: request.method.inOneLine(limit: 16),
            target: target.shown,
            template: target.template,
            discriminator: reading.discriminator.map { sent.known.hiding(in: $0) },
            startedAt: exchange.startedAt,
            purpose: purpose,
            confidence: isExact ? .exact : purpose == .refresh ? .certain : .likely,
            authorization: reading.authorization,
            redirectedFrom: redirects.source(of: request),
            isPrefetch: request.isPrefetch ? true : nil,
            page: RequestFacts.PageUse(of: request),
            hasCredentials: reading.hasCredentials,
            isNamedRefresh: reading.isNamedRefresh,
            endsOwnSession: reading.isOfOwnSession
                || reading.isOfSession && matches.returned.contains { $0.place == .path }
                ? true : nil,
            subject: subject,
            occurrences: occurrences,
            returned: returned.isEmpty ? nil : returned,
            flaws: reading.isOfDevelopmentServer
                ? [] : reading.flaws + [damage].compactMap(\.self),
            proof: ProofFacts(in: request, at: exchange.origin, by: fingerprinter),
            bodyDigest: request.body.isEmpty
                ? nil
                : fingerprinter.fingerprint(of: Self.comparableBody(of: request)),
            body: body,
            excerpt: ownBody == nil ? excerpt(of: request) : nil,
            isForToken: reading.purpose == .preflight ? reading.isForToken : nil,
            usesBasic: reading.usesBasic,
            repeatedCookies: reading.repeatedCookies.isEmpty ? nil : reading.repeatedCookies,
            doubledCookies: reading.doubledCookies.isEmpty
                ? nil
                : reading.doubledCookies.map { sent.known.hiding(in: $0).inOneLine(limit: 64) },
            mark: request.header("X-Authtop-Mark").map { sent.hiding(in: $0, limit: 80) },
            trace: request.header("traceparent").flatMap { value in
                // An id that is also a token is none.
                sent.hiding(in: value, limit: 80) == value ? TraceContext(parsing: value) : nil
            }
        )
        return [ObservationInput(exchange: number, kind: .requested(facts))]
    }

    /// Returns the body as one that repeats it has it: the number of a JSON-RPC call tells its answer.
    private static func comparableBody(of request: WireRequest) -> Secret {
        guard request.body.first(where: { $0 > 0x20 }) == UInt8(ascii: "{"),
            case .object(var call)? = JSONValue(parsing: request.body), call["jsonrpc"] != nil
        else { return Secret(String(decoding: request.body, as: UTF8.self)) }
        call["id"] = nil
        return Secret(JSONValue.object(call).serialized)
    }

    /// Returns the token that a request is about, which is not among its own any more.
    private func takeSubject(from occurrences: inout [TokenOccurrence]) -> TokenOccurrence? {
        let place = occurrences.firstIndex {
            $0.place == .header && recognition.tokens.isSubject(header: $0.name)
        }
        let hasOther = occurrences.indices.contains { index in
            index != place && [.header, .authorization].contains(occurrences[index].place)
                && occurrences[index].role == .access
        }
        return hasOther ? place.map { occurrences.remove(at: $0) } : nil
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
}

extension RequestFacts.PageUse {
    fileprivate init?(of request: WireRequest) {
        guard request.header("Sec-Fetch-Site") != nil else { return nil }
        let isDocument = ["document", "iframe"].contains(request.header("Sec-Fetch-Dest"))
        self = isDocument ? .document : .part
    }
}

extension ObservedClient {
    fileprivate init(
        _ request: WireRequest,
        at peer: String,
        process: ClientProcess?,
        hiding secrets: SentSecrets
    ) {
        func value(_ name: String) -> String? {
            request.header(name).map { secrets.hiding(in: $0, limit: 80) }
        }
        self.init(
            peer: peer.inOneLine(limit: 64),
            userAgent: value("user-agent"),
            origin: value("origin"),
            name: value("x-authtop-client"),
            process: process
        )
    }
}
