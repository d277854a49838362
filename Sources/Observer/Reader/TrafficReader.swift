package import Basics
import FoundationEssentials
package import Model
package import Profiles

/// Reads what a proxy sees, and passes on facts without secrets.
///
/// It holds the secrets of exchanges that are in progress, and the last tokens, to name them
/// without computing their fingerprints again.
package struct TrafficReader: Sendable {
    /// The bytes of bodies that it holds at most, over all exchanges.
    static let heldLimit = 32 * 1024 * 1024

    let recognition: Recognition
    let fingerprinter: Fingerprinter
    let profile: DialectReading?
    let keepsEveryBody: Bool
    /// Finds the processes of clients, or `nil` if their requests alone tell who they are.
    let processes: (any ConnectionNaming)?
    var open: [Int: OpenExchange] = [:]
    private var heldBytes = 0
    private var unreadParts = 0
    var names: TokenDescriptions
    var sent: SentSecrets
    /// The tokens that answers brought, or that were presented under names of tokens.
    var tokens = KnownTokens()
    private(set) var beginnings = TokenBeginnings()
    var unnamed = UnnamedTexts()
    var redirects = Redirects()
    /// The clocks of the servers against ours, by origin.
    var dates: [String: ServerDates] = [:]

    /// - Parameters:
    ///   - fingerprinter: Names tokens.
    ///   - recognition: The meanings of names and shapes where no dialect gives one.
    ///   - dialect: The backend's dialect, or `nil` to go by common names.
    ///   - basePaths: The possible prefixes of the paths of the dialect's backend, the likeliest
    ///     first. If there are none, the prefix is found out for each request.
    ///   - addedPaths: The prefixes that the paths of requests get on their way to the backend.
    ///   - keepsEveryBody: Whether it passes on the beginnings of all bodies that are text, and not
    ///     only of those with tokens and of refusals.
    ///   - processes: Finds the processes of clients.
    package init(
        fingerprinter: Fingerprinter,
        recognition: Recognition = .builtIn,
        dialect: Dialect? = nil,
        basePaths: [String] = [""],
        addedPaths: [String] = [],
        keepsEveryBody: Bool = false,
        processes: (any ConnectionNaming)? = nil
    ) {
        self.fingerprinter = fingerprinter
        self.recognition = recognition
        self.keepsEveryBody = keepsEveryBody
        self.processes = processes
        profile = dialect.map {
            DialectReading(
                shared: Shared($0.forAnotherClient),
                basePaths: basePaths,
                addedPaths: addedPaths
            )
        }
        names = TokenDescriptions(fingerprinter: fingerprinter, recognition: recognition)
        sent = SentSecrets(
            fingerprinter: fingerprinter,
            names: recognition.secrets,
            findsParts: keepsEveryBody
        )
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
        case .responseTrailers(let fields):
            open[number]?.response?.headers += fields
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
        case .socketClosed(let end, let reason):
            drop(number)
            var end = end
            end.refusesToken =
                end.by == .backend
                ? end.code.map { recognition.refusals.isRefusal(closeCode: $0, reason: reason) }
                : false
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
        case .unreadable(let subject):
            return [ObservationInput(exchange: 0, kind: .unreadable(subject))]
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

// MARK: - Tokens

extension TrafficReader {
    /// Whether a tool has taken a token out.
    func isRedacted(_ token: FoundToken) -> Bool {
        recognition.missing.isRedacted(token.secret.reveal())
    }

    mutating func occurrence(
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

    /// Takes tokens for such from now on, wherever they come back; a word under a name of any token is
    /// none.
    mutating func remember(_ found: [FoundToken]) {
        for token in found where !isRedacted(token) {
            guard Self.looksLikeToken(token.secret) || !recognition.tokens.isAnyToken(token.name)
            else { continue }
            tokens.add(token.secret)
        }
    }

    /// Remembers the tokens that an answer brings, to tell what an app makes of them.
    mutating func rememberIssued(_ found: [FoundToken]) {
        remember(found)
        for token in found where !isRedacted(token) && token.role != .unknown {
            beginnings.add(token.secret)
        }
    }

    /// Returns how the tokens of a request differ from what an answer had brought, if they do.
    func damage(_ found: [FoundToken], _ reading: RequestReading) -> CredentialFlaw? {
        if reading.tokensWithBlanks.contains(where: tokens.contains) { return .unescapedPlus }
        for token in found where token.role != .unknown && !tokens.contains(token.secret) {
            if let size = beginnings.size(ofTokenCutTo: token.secret) {
                return .cut(bytes: token.secret.byteCount, of: size)
            }
        }
        return nil
    }

    static func looksLikeToken(_ secret: Secret) -> Bool {
        UnknownSecrets.looksLikeToken(Array(secret.reveal().utf8)[...], from: KnownTokens.shortest)
    }
}

/// Finds the processes behind an app's connections, as far as they are of this machine.
package protocol ConnectionNaming: Sendable {
    /// Returns the process that has opened a connection, or `nil` if it is not known.
    func process(of connection: Int) -> ClientProcess?

    /// Waits, for a moment at most, until the processes are found that are looked for.
    func settle() async
}
