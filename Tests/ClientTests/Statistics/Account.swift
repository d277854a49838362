import Basics
import Client
import FoundationEssentials

@testable import Model

/// Events written down by hand, on two clocks that need not agree.
struct Account {
    /// Which session its events name.
    let id: SessionID
    private let profile: String
    private(set) var events: [SessionEvent] = []
    /// Seconds on the monotonic clock.
    private(set) var seconds = 1_000.0
    /// The distance by which the wall clock was set, in seconds.
    private(set) var wallStep = 0.0
    private(set) var login = 0

    /// - Parameters:
    ///   - session: The session.
    ///   - profile: The name of its profile, or `nil` if it is that of the session.
    init(session: SessionID = SessionID("melchat"), profile: String? = nil) {
        id = session
        self.profile = profile ?? session.description
    }

    var now: Moment {
        Moment(
            now: Instant(nanoseconds: 0).advanced(bySeconds: seconds),
            wall: Date(timeIntervalSince1970: 1_763_733_600 + seconds + wallStep)
        )
    }

    var statistics: SessionStatistics { SessionStatistics(folding: events) }

    mutating func wait(_ seconds: Double) { self.seconds += seconds }

    mutating func setWall(by seconds: Double) { wallStep += seconds }

    mutating func add(_ kinds: any EventKind...) {
        for kind in kinds {
            events.append(
                SessionEvent(
                    moment: now,
                    session: id,
                    profile: profile,
                    login: login,
                    generation: 1,
                    kind: kind
                )
            )
        }
    }

    mutating func logIn(life: Double) {
        add(LoginStarted(), Exchange.sample(.login))
        login += 1
        issue(.login, life: life)
    }

    /// A pair that may be used for `life` seconds from now.
    mutating func issue(_ origin: PairDescription.Origin = .refresh, life: Double) {
        let usableUntil = now.now.advanced(bySeconds: life)
        let token = TokenDescription(
            fingerprint: Fingerprint(digits: "3f9c21ab"),
            format: .opaque,
            byteCount: 43,
            claims: [:]
        )
        var pair = PairDescription(
            origin: origin,
            access: token,
            refresh: nil,
            issuedAt: now,
            accessExpiry: nil,
            refreshExpiry: nil,
            rotated: false
        )
        pair.usableUntil = usableUntil
        add(TokensIssued(pair))
    }

    mutating func renew(life: Double, remainingLead: Double = 6) {
        add(RefreshStarted(flight: 1, cause: .timer))
        renewed(flight: 1, remainingLead: remainingLead)
        issue(life: life)
    }

    mutating func renewed(flight: Int, remainingLead: Double = 6) {
        add(
            RefreshSucceeded(
                flight: flight,
                roundTrip: .milliseconds(12),
                remainingLead: .seconds(remainingLead),
                rotated: false
            )
        )
    }
}

extension Exchange {
    static func sample(
        _ purpose: ExchangePurpose = .protected,
        _ result: Result = .answered(status: 200)
    ) -> Exchange {
        Exchange(
            id: 1,
            purpose: purpose,
            method: "GET",
            target: "/messages",
            result: result,
            seconds: 0.01,
            generation: 1,
            why: .user
        )
    }
}
