import Dialects
import Timekeeping
import Tokens

/// An event as one flat JSON object on a line: for programs, recordings and tests.
///
/// Times are ISO 8601 in UTC with milliseconds; durations are seconds or, where the name says so,
/// milliseconds. `status` only ever means an HTTP status.
package enum EventLine {
    /// The line, without its line break.
    package static func text(of event: SessionEvent) -> String {
        var line = FlatJSON(at: event.moment)
        line.set("profile", .string(event.profile))
        line.set("session", event.session)
        line.set("generation", event.generation)
        line.describe(event.kind)
        return line.text
    }
}

extension FlatJSON {
    fileprivate mutating func describe(_ kind: SessionEvent.Kind) {
        set("kind", kind.name)
        switch kind {
        case .capabilities(let capabilities): describe(capabilities)
        case .loginStarted, .noProgress, .graceRecovered, .journalRecovered, .saved: break
        case .paused(let cause), .resumed(let cause): set("by", cause.rawValue)
        case .loginFailed(let failure): describe(failure)
        case .tokensIssued(let pair): describe(pair)
        case .stateChanged(let from, let to, let why):
            set("from", from.name)
            set("to", to.name)
            set("why", why)
            describe(outlookOf: to)
        case .refreshStarted(let flight, let cause):
            set("flight", flight)
            set("why", cause.rawValue)
        case .refreshSucceeded(let flight, let roundTrip, let leadLeft, let rotated):
            set("flight", flight)
            set("rtt", roundTrip)
            set("leadLeft", leadLeft)
            set("rotated", .bool(rotated))
        case .refreshFailed(let flight, let failure, let attempt, let nextAt):
            set("flight", flight)
            describe(failure)
            set("k", attempt)
            set("nextAt", nextAt)
        case .request(let record): describe(record)
        case .expiryMismatch(let token, let readings):
            set("token", token.rawValue)
            set("readings", .array(readings.map(Self.value)))
        case .skew(let offset):
            set("lo", seconds: offset.low)
            set("hi", seconds: offset.high)
        case .wake(let slept): set("late", slept)
        case .wallStep(let seconds): set("step", seconds: seconds)
        case .probe(let reached): set("reached", .bool(reached))
        case .rescheduled(let schedule): describe(schedule)
        case .protocolError(let message), .actionRejected(let message): set("words", message)
        case .adopted(let process): set("from", process)
        case .unsaved(let problem): set("words", problem.message)
        case .circuitBreakerOpened(let until): set("until", until)
        case .draining(let endsAt, let reason):
            set("endsAt", endsAt)
            set("reason", reason.rawValue)
        case .signedOut(let reason): set("reason", reason.rawValue)
        case .erased(let duration): set("ms", seconds: duration.inSeconds * 1000)
        case .revocation(let phase): set("phase", phase.rawValue)
        case .feed(let event): describe(event)
        case .sessions(let news): describe(news)
        case .dropped(let count): set("count", count)
        }
    }

    private mutating func describe(_ news: SessionListUpdate) {
        switch news {
        case .listed(let sessions): set("count", sessions.count)
        case .ended(let id): set("ended", id)
        case .failed(let message): set("words", message)
        }
    }

    private mutating func describe(_ capabilities: Capabilities) {
        set("dialect", capabilities.dialect)
        set("baseURL", capabilities.baseURL)
        set("rotation", capabilities.rotation.rawValue)
        let scopes = capabilities.logoutScopes.map(\.rawValue).sorted()
        set("logout", .array(scopes.map(JSONValue.string)))
        set("feed", .bool(capabilities.hasFeed))
        set("vault", capabilities.vault)
    }

    private mutating func describe(_ failure: RefreshFailure) {
        set("class", failure.kind.rawValue)
        set("status", failure.status)
        set("words", failure.message)
    }

    private mutating func describe(outlookOf state: SessionState) {
        switch state {
        case .retrying(let outlook), .offline(let outlook), .unknown(let outlook):
            set("k", outlook.failures)
            set("nextAt", outlook.nextAt)
            set("waitsFor", outlook.hold?.rawValue)
        case .signedOut(let reason), .draining(let reason): set("reason", reason.rawValue)
        case .signingOut(let scope): set("scope", scope.rawValue)
        case .cold, .vaultUnavailable, .signingIn, .fresh, .renewing, .blocked: break
        }
    }

    mutating func describe(_ pair: PairDescription) {
        set("origin", pair.origin.rawValue)
        set("rotated", .bool(pair.rotated))
        set("subject", pair.subject)
        set("displayName", pair.displayName)
        if !pair.account.isEmpty {
            let members = pair.account.map { ($0.path, JSONValue.string($0.value)) }
            set("account", .object(Dictionary(members) { first, _ in first }))
        }
        describe(pair.access, named: "access", expiry: pair.accessExpiry)
        if let refresh = pair.refresh {
            describe(refresh, named: "refresh", expiry: pair.refreshExpiry)
        }
        if let schedule = pair.schedule { describe(schedule) }
    }

    private mutating func describe(
        _ token: TokenDescription,
        named name: String,
        expiry: Deadline?
    ) {
        set(name, token.fingerprint.digits)
        set("\(name)Format", token.format.description)
        set("\(name)Bytes", token.byteCount)
        guard let expiry else { return }
        set("\(name)ExpiresAt", expiry.at)
        set("\(name)Lifetime", expiry.lifetime)
        set("\(name)Source", expiry.expiry.source.rawValue)
    }

    private mutating func describe(_ schedule: RenewalSchedule) {
        set("soft", schedule.refreshAt)
        set("hard", schedule.usableUntil)
    }

    private mutating func describe(_ record: RequestRecord) {
        set("id", record.id)
        set("purpose", record.purpose.rawValue)
        set("method", record.method)
        set("url", record.target)
        switch record.result {
        case .answered(let status): set("status", status)
        case .notSent(let message):
            set("class", "notSent")
            set("words", message)
        case .unanswered(let message):
            set("class", "unknown")
            set("words", message)
        }
        set("ms", seconds: record.seconds * 1000)
        set("usedGeneration", record.generation)
        set("token", record.fingerprint?.digits)
        set("why", record.why)
        set("retryOf", record.retryOf)
        set("flight", record.flight)
    }

    private static func value(of reading: Expiry.Reading) -> JSONValue {
        ["source": .string(reading.source.rawValue), "seconds": .number(reading.seconds)]
    }
}

extension TokenDescription.Format {
    /// `JWT HS256`, `opaque`; the algorithm is a server's word.
    package var description: String {
        switch self {
        case .webToken(let algorithm): algorithm.map { "JWT \($0.prefix(12))" } ?? "JWT"
        case .opaque: "opaque"
        }
    }
}
