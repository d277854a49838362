package import Basics
package import Profiles

/// One HTTP exchange that is over: what was sent and its result, from which app, with which token.
///
/// It is an event, a row of the requests pane and an entry of an archive.
package struct Exchange: Sendable, Hashable, Codable {
    package enum Result: Sendable, Hashable, Codable {
        case answered(status: Int)
        /// No byte left.
        case notSent(UnsentCause)
        /// Sent, and no complete answer.
        case unanswered(detail: String)
        /// Sent, and the answer is awaited; in no event.
        case awaited
    }

    /// Counts from 1 over the run.
    package var id: Int
    package var purpose: ExchangePurpose
    package var method: String
    /// Path and query, with any token in it replaced by its fingerprint.
    package var target: String
    package var result: Result
    /// From the first byte wanted out to the last byte in, in seconds.
    package var seconds: Double
    package var timing: RequestTiming?
    /// The generation whose token it carried; 0 for none.
    package var generation: Int
    /// The token it carried.
    package var fingerprint: Fingerprint?
    package var why: RequestCause
    /// The refused request that this one repeats.
    package var retryOf: Int?
    package var flight: Int?
    /// Whether the response states that the sandbox sent it, which any server can.
    package var claimsSandbox = false
    /// The age of the token when it was sent, in seconds, or `nil` if it carried none.
    package var tokenAge: Double?
    /// The appearance of the response, and the rule that decided its meaning; `nil` if there was
    /// none, or it is no longer kept.
    package var evidence: ResponseEvidence?
    /// What the server says in an answer that does not bring what was asked for, on one line and
    /// without secrets; `nil` if it says nothing.
    package var serverWords: String?
    /// What the answer to a protected request says of its access token, or `nil` if it is not such
    /// an answer, or was read by no profile.
    package var acceptance: TokenAcceptance?
    /// Which app sent it, or `nil` if this program did.
    package var client: ObservedClient?
    /// The experiment with an app that answered it or changed it.
    package var experiment: String?
    /// Whether the answer is to be asked for again, since the user has not logged in on the other
    /// device yet; `nil` for any other request.
    package var isPending: Bool?
    /// Whether it was sent twice, because the answer to the first required another nonce in its
    /// proof (RFC 9449 section 8); `nil` for any other request.
    package var isNonceRetry: Bool?
    /// The origin of the page that can read the answer only because the proxy has added what the
    /// backend's answer lacks for it (CORS).
    package var corsAddedFor: String?
    /// Whether the app had closed its connection before the answer came; `nil` if not, or if this
    /// program sent the request.
    package var isUndelivered: Bool?
    /// The span of the app that it belongs to, or `nil` if the app names none.
    package var trace: TraceContext?

    package var status: Int? {
        if case .answered(let status) = result { return status }
        return nil
    }

    package var isAwaited: Bool { result == .awaited }

    /// Whether at least a byte of it left.
    var wasSent: Bool {
        if case .notSent = result { false } else { true }
    }
}

extension Exchange {
    /// An exchange with what each has; the rest is set afterwards.
    ///
    /// - Parameters:
    ///   - id: Counts from 1 over the run.
    ///   - purpose: The purpose of the request.
    ///   - method: The HTTP method.
    ///   - target: Path and query, without tokens.
    ///   - result: The result.
    ///   - seconds: The duration.
    ///   - generation: The generation of its token; 0 for none.
    ///   - why: The cause of the request.
    package init(
        id: Int,
        purpose: ExchangePurpose,
        method: String,
        target: String,
        result: Result,
        seconds: Double,
        generation: Int,
        why: RequestCause
    ) {
        self.id = id
        self.purpose = purpose
        self.method = method
        self.target = target
        self.result = result
        self.seconds = seconds
        self.generation = generation
        self.why = why
    }

    /// Adds what its answer shows; its sender and its token stay the same.
    ///
    /// - Parameters:
    ///   - answer: The answer.
    ///   - appearance: Its appearance, and the rule that decided its meaning.
    ///   - words: What the server says in it, if it does not bring what was asked for.
    package mutating func receive(
        _ answer: WireResponse,
        as appearance: ResponseEvidence,
        words: String?
    ) {
        claimsSandbox = answer.claimsSandbox
        evidence = appearance
        serverWords = words
        if appearance.rule == .pending { isPending = true }
    }

    /// The members of an entry of an archive that HAR does not have, without the `_` before their
    /// names.
    package static let archived: [(name: String, value: @Sendable (Exchange) -> JSONValue?)] = [
        ("generation", { $0.generation > 0 ? .integer(Int64($0.generation)) : nil })
    ]
}

/// What an answer to a protected request says of its access token.
package enum TokenAcceptance: String, Sendable, Hashable, Codable, CaseIterable {
    case accepted
    case refused
    /// Nothing: something else is wrong, or another token would be refused as well.
    case undecided
}

/// Where the time of an exchange went, in seconds, or `nil` if the part did not happen, as for a
/// connection that was open already.
package struct RequestTiming: Sendable, Hashable, Codable {
    package var connect: Double?
    package var firstByte: Double?
    package var body: Double?

    package init(connect: Double? = nil, firstByte: Double? = nil, body: Double? = nil) {
        self.connect = connect
        self.firstByte = firstByte
        self.body = body
    }
}

extension Exchange: EventKind {
    package static let name = "request"
    package static let recordedAs = "request._0"
    package static let summary = "An HTTP exchange is over."
    package static let fields: [EventField<Exchange>] =
        [
            .integer("id", "The n-th exchange of the run.") { $0.id },
            .choice("purpose", "What it was for.", among: ExchangePurpose.allInEvents) {
                $0.purpose
            },
            .text("method", "The HTTP method.") { $0.method },
            .text("url", "Path and query; a fingerprint stands for a token.") { $0.target },
            .integer("status", "The HTTP status, if it was answered.", isOptional: true) {
                $0.status
            },
            .choice(
                "class",
                "notSent if no byte left, unknown if no whole answer came.",
                isOptional: true
            ) { (exchange: Exchange) -> RefreshFailure.Class? in
                switch exchange.result {
                case .answered: nil
                case .notSent: .notSent
                case .unanswered, .awaited: .unknown
                }
            },
            .choice("obstacle", "Why no byte left.", isOptional: true) {
                (exchange: Exchange) -> UnsentCause.Code? in
                if case .notSent(let cause) = exchange.result { cause.code } else { nil }
            },
            .sentence("message", "Why there is no answer, for users.", isOptional: true) {
                switch $0.result {
                case .answered, .awaited: nil
                case .notSent(let cause): $1.text(cause)
                case .unanswered(let detail): detail
                }
            },
            .milliseconds("ms", "From the first byte out to the last byte in.") {
                $0.seconds
            },
            .integer("usedGeneration", "Whose token it carried; 0 if none.") {
                $0.generation
            },
            .text("token", "The fingerprint of that token.", isOptional: true) {
                $0.fingerprint?.digits
            },
            .choice("cause", "What it was sent for.") { $0.why.code },
            .sentence("why", "What it was sent for, for users.") { $1.text($0.why) },
            .integer("retryOf", "The refused request that it repeats.", isOptional: true) {
                $0.retryOf
            },
            .flag(
                "nonceRetry",
                "Whether the server required another nonce in its proof first.",
                isOptional: true
            ) { $0.isNonceRetry },
            .integer("flight", "The renewal that it belongs to.", isOptional: true) {
                $0.flight
            },
            .seconds(
                "tokenAge",
                "How old the token was when it was sent.",
                isOptional: true
            ) { $0.tokenAge },
            .text(
                "client",
                "The app that sent it, by its own name, process or address.",
                isOptional: true
            ) {
                $0.client.map { $0.name ?? $0.process?.description ?? $0.peer }
            },
            .text(
                "experiment",
                "The experiment with an app that answered it or changed it.",
                isOptional: true
            ) { $0.experiment },
            .text(
                "corsAddedFor",
                "The origin of the page that can read the answer only because of `--cors`.",
                isOptional: true
            ) { $0.corsAddedFor },
            .flag(
                "undelivered",
                "Whether the app had closed its connection before the answer came.",
                isOptional: true
            ) { $0.isUndelivered },
            .text("trace", "The id of the app's trace that it belongs to.", isOptional: true) {
                $0.trace?.trace
            },
            .choice("rule", "What gave the answer its meaning.", isOptional: true) {
                $0.evidence?.rule.code
            },
            .choice(
                "acceptance",
                "What the answer to a protected request says of its access token.",
                isOptional: true
            ) { $0.acceptance },
            .text(
                "serverWords",
                "What the server says in an answer that does not bring what was asked for.",
                isOptional: true
            ) { $0.serverWords },
            .sentence("ruleMessage", "The same for users.", isOptional: true) {
                guard let rule = $0.evidence?.rule else { return nil }
                return $1.text(rule)
            },
        ] + EventSchema.appearance { $0.evidence }

    package var kept: (any EventKind)? {
        guard isTrouble, !why.isExperiment else { return nil }
        var short = self
        short.evidence = nil
        return short
    }
    package var level: EventLevel { .debug }
    package var tone: EventTone { .warning }
    package var lifelineMark: LifelineMark? { nil }
    package var tokens: [Fingerprint] { [fingerprint].compactMap(\.self) }
    /// Whether a protected request was not answered, or not as asked for; the results of the others
    /// are events of their own.
    private var isTrouble: Bool {
        guard purpose == .protected, let status else { return purpose == .protected }
        return status >= 400 || (acceptance ?? .accepted) != .accepted
    }

    /// What its answer says of its access token, as it was read or, if it was not, by its status
    /// alone; `nil` if it was not answered.
    package var tokenAcceptance: TokenAcceptance? {
        guard let status else { return nil }
        if let acceptance { return acceptance }
        switch status {
        case 200..<300, 304, 409, 412, 422: return .accepted
        case 401: return .refused
        default: return .undecided
        }
    }

    /// Whether its answer refuses a token, or what a refresh asks for, with whatever status.
    package var isRefused: Bool {
        status == 401 || acceptance == .refused
            || purpose == .refresh && (status == 400 || status == 403)
    }

    package func apply(to session: inout SessionSnapshot, in event: SessionEvent) {
        session.log(self, of: event.session, at: event.moment)
    }

    package func apply(to statistics: inout SessionStatistics, in event: SessionEvent) {
        guard !why.isExperiment else { return }
        statistics.requests.add(self)
        if purpose == .login { statistics.loginRequest = self }
    }

    package func apply(to book: inout SessionBook, in event: SessionEvent) {
        book.recordRequest(self, of: event.session)
    }
}
