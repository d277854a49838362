import Basics
import FoundationEssentials
import Model
import Profiles
import Testing

@testable import Client

@Suite("SessionLedger: what the use of an access token shows")
struct SessionLedgerTests {
    private static let token = AccessToken(Secret("access-1"))

    private static func ledger(lifetime: Double? = 60, hasRefreshToken: Bool = true)
        -> SessionLedger
    {
        let sentAt = Moment(now: .origin, wall: Date(timeIntervalSince1970: 0))
        let access = lifetime.map { seconds in
            Deadline(
                at: sentAt.now.advanced(bySeconds: seconds),
                lifetime: .seconds(seconds),
                expiry: Expiry(seconds: seconds, source: .lifetime, skewWidth: 0)
            )
        }
        let refresh = hasRefreshToken ? RefreshToken(Secret("refresh-1")) : nil
        let times = PairTimes(issuedAt: sentAt, refreshIssuedAt: sentAt, access: access)
        let pair = SessionPair(
            family: "family",
            record: PairRecord(
                generation: 3,
                tokens: TokenPair(access: token, refresh: refresh),
                times: times.onWallClock
            ),
            times: times
        )
        return SessionLedger(pair, rules: .init(rotation: .always, refreshSlides: false))
    }

    @Test(
        "a use of the token in use has its generation, age and lifetime",
        arguments: [60.0, nil],
        [true, false]
    )
    func current(lifetime: Double?, hasRefreshToken: Bool) {
        var ledger = Self.ledger(lifetime: lifetime, hasRefreshToken: hasRefreshToken)
        let now = Instant.origin.advanced(bySeconds: 12)
        let use = AccessTokenUse(
            generation: 3,
            age: 12,
            lifetime: lifetime,
            hasRefreshToken: hasRefreshToken
        )
        let accepted = ledger.requestAccepted(with: Self.token, at: now)
        let refused = ledger.requestRefused(with: Self.token, at: now) { _ in true }
        #expect([accepted, refused] == [use, use])
        #expect(ledger.socketRefused(generation: 3, at: now) == use)
    }

    @Test("a use of another token shows nothing")
    func other() {
        var ledger = Self.ledger()
        for token in [AccessToken(Secret("access-0")), nil] {
            let accepted = ledger.requestAccepted(with: token, at: .origin)
            let refused = ledger.requestRefused(with: token, at: .origin) { _ in true }
            #expect([accepted, refused] == [nil, nil])
        }
        #expect(ledger.socketRefused(generation: 2, at: .origin) == nil)
    }
}
