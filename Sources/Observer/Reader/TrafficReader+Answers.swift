import Basics
import FoundationEssentials
import Model
import Profiles

/// The facts of answers.
extension TrafficReader {
    /// Returns an answer of the profile's backend to an exchange, or `nil` if it is none of its
    /// requests.
    func answer(_ response: BackendResponse, to number: Int) -> WireResponse? {
        guard let profile, open[number]?.recognized != nil else { return nil }
        return profile.dialect.answer(response)
    }

    mutating func answer(
        of number: Int,
        bytes: Int,
        at moment: Moment
    ) -> [ObservationInput] {
        guard let exchange = open[number], var response = exchange.response, !exchange.isAnswered
        else { return [] }
        response.body = GRPCMessage.readable(response.body, response.headers)
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
            exchange.request,
            by: profile?.shared,
            recognition: recognition,
            isEmpty: bytes == 0
        )
        var raw = reading.tokens
        var facts = AnswerFacts(status: response.status, corsAddedFor: exchange.corsAddedFor)
        facts.isHTTP2 = response.statusLine?.begins(with: "HTTP/2") == true ? true : nil
        facts.grpcStatus = reading.grpcStatus
        facts.asksToWait = reading.asksToWait ? true : nil
        facts.subject = reading.user
        facts.meaning = reading.meaning?.kind
        facts.refuses = reading.refuses
        facts.saysRefusal = reading.saysRefusal ? true : nil
        facts.saysForgery = reading.saysForgery ? true : nil
        facts.isReadable = response.isReadable(byPageOf: exchange.request)
        redirects.add(response, to: exchange.request, number)
        facts.isCached = response.isOfSharedCache ? true : nil
        facts.isNull = reading.isNull ? true : nil
        raw.removeAll { isRedacted($0) }
        // A value that is called a token and nothing else may be a word, such as `disabled`.
        sent.add(raw.filter { !recognition.tokens.isAnyToken($0.name) }.map(\.secret))
        rememberIssued(raw)
        for secret in reading.secrets where Self.looksLikeToken(secret) { tokens.add(secret) }
        sent.addNamed(raw.map(\.secret) + reading.secrets)
        facts.issued = raw.map { occurrence($0, sentAt: exchange.startedAt, origin: origin) }
        if facts.isReadable == true {
            let readable = zip(raw, facts.issued).filter { token, _ in
                ![.authorization, .header].contains(token.place)
                    || response.exposes(token.name, toPageOf: exchange.request)
            }
            let hidden = Set(facts.issued.map(\.fingerprint))
                .subtracting(readable.map { $0.1.fingerprint })
            facts.hidden = hidden.isEmpty ? nil : hidden
        }
        facts.candidates = reading.candidates
            .filter { !recognition.missing.isRedacted($0.reveal()) }
            .map { names.description(of: $0, hiding: sent.known).fingerprint }
        let unnamed = reading.unnamedTokens.filter { !isRedacted($0) }
        for token in unnamed { self.unnamed.add(token.secret) }
        if !unnamed.isEmpty {
            facts.unnamed = unnamed.map {
                occurrence($0, sentAt: exchange.startedAt, origin: origin)
            }
        }
        facts.cookies = reading.cookies.map { cookie in
            AnswerFacts.Cookie(
                name: sent.known.hiding(in: cookie.name.inOneLine(limit: 64)),
                value: cookie.value.map {
                    names.description(of: $0, hiding: sent.known).fingerprint
                },
                flags: cookie.flags,
                path: cookie.path.map { sent.known.hiding(in: $0).inOneLine(limit: 64) },
                obstacle: cookie.obstacle(to: exchange.request, at: origin)
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
        facts.shape = AnswerShape(of: reading, hiding: known)?.text
        if facts.isSuccess, facts.shape == nil {
            facts.resultCode = AnswerShape.resultCode(in: reading, hiding: known)
        }
        if response.status >= 300 || facts.shape != nil || !reading.refuses.isEmpty
            || reading.saysRefusal
        {
            facts.serverWords = reading.serverWords(with: raw.map(\.secret), hiding: known)
        }
        facts.scopes =
            raw.isEmpty
            ? nil
            : reading.scopes.map { scopes in
                Set(scopes.map { known.hiding(in: $0, limit: 64).inOneLine(limit: 64) })
            }
        facts.retryAfter = response.secondsToWait(receivedAt: moment.wall)
        facts.offset = dates[origin]?.offset
        facts.forbidsStoring = reading.forbidsStoring
        facts.isPage = reading.isPage
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
}
