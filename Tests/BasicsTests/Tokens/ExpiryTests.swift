import FoundationEssentials
import Testing

@testable import Basics

@Suite("Expiry: weighing the evidence")
struct ExpiryTests {
    private static let sent = Date(timeIntervalSince1970: 1_000_000)

    private static func at(_ seconds: Double) -> Date {
        sent.addingTimeInterval(seconds)
    }

    private static func webToken(_ expires: Double, issued: Double? = nil) -> ExpiryEvidence {
        .webToken(expiresAt: 1_000_000 + expires, issuedAt: issued.map { 1_000_000 + $0 })
    }

    private static func weigh(
        _ evidence: [ExpiryEvidence],
        offset: ServerOffset? = nil
    ) -> Expiry? {
        Expiry.weighing(evidence, sentAt: sent, offset: offset)
    }

    @Test("without evidence nothing is known, and nothing lasts indefinitely")
    func nothing() {
        #expect(Self.weigh([]) == nil)
    }

    @Test(
        "each source alone counts from the moment the request was sent",
        arguments: [
            (ExpiryEvidence.lifetime(seconds: 900), ExpirySource.lifetime, 900.0, 0.0),
            (webToken(900.5, issued: 0), .webTokenLifetime, 900.5, 0),
            (webToken(900), .webTokenExpiry, 900, 5),
            (.instant(at(900)), .timestamp, 900, 5),
            (.inferredZone(at(900)), .inferredZone, 900, 5),
            (.documented(seconds: 900), .assumed, 900, 0),
        ]
    )
    func sources(evidence: ExpiryEvidence, source: ExpirySource, seconds: Double, width: Double) {
        let expiry = Self.weigh([evidence])
        #expect(expiry == Expiry(seconds: seconds, source: source, skewWidth: width))
        #expect(expiry?.isAssumed == (source == .assumed))
    }

    @Test("a web token in whole seconds is taken to end a second early")
    func wholeSeconds() {
        // A second or two are not taken for an end that is over.
        #expect(Self.weigh([Self.webToken(1, issued: 0)])?.seconds == 0.5)
        #expect(Self.weigh([Self.webToken(2, issued: 0)])?.seconds == 1)
        #expect(Self.weigh([Self.webToken(-5, issued: 0)])?.seconds == -5)
        #expect(Self.weigh([Self.webToken(900, issued: 0)])?.seconds == 899)
        #expect(Self.weigh([Self.webToken(900, issued: 0)])?.margin == 1)
        #expect(Self.weigh([Self.webToken(900.25, issued: 0)])?.margin == 0)
        #expect(Self.weigh([Self.webToken(900.25, issued: 0)])?.seconds == 900.25)
        #expect(Self.weigh([Self.webToken(900, issued: 0.5)])?.seconds == 899.5)
    }

    @Test(
        "iat counts only when it lies within 5 s of the server's present time",
        arguments: [
            (-6.0, ExpirySource.webTokenExpiry), (-5, .webTokenLifetime), (0, .webTokenLifetime),
            (6, .webTokenLifetime), (7, .webTokenExpiry), (-3600, .webTokenExpiry),
        ]
    )
    func issuedWindow(issued: Double, source: ExpirySource) {
        let offset = ServerOffset(low: 0, likelyHigh: 1)
        #expect(Self.weigh([Self.webToken(900, issued: issued)], offset: offset)?.source == source)
    }

    @Test("a `Date` that contradicts authtop's clock and the token together is not believed")
    func wrongDate() {
        let offset = ServerOffset(low: 1800, likelyHigh: 1801)
        let expiry = Self.weigh([Self.webToken(900, issued: 0)], offset: offset)
        #expect(expiry?.seconds == 899)
        #expect(expiry?.source == .webTokenLifetime)
    }

    @Test(
        "without a known offset a token that was issued now by authtop's clock is taken at its word",
        arguments: [-5.0, 0, 5]
    )
    func unknownOffset(issued: Double) {
        let expiry = Self.weigh([Self.webToken(900.5 + issued, issued: issued)])
        #expect(expiry == Expiry(seconds: 900.5, source: .webTokenLifetime))
    }

    @Test("without a known offset a token that ended an hour ago by authtop's clock is not fresh")
    func endedWithoutOffset() {
        let expiry = Self.weigh([Self.webToken(-3600, issued: -5400)])
        #expect(expiry?.seconds == -3600)
        #expect(expiry?.source == .webTokenExpiry)
        #expect(expiry?.skewWidth == Expiry.unknownSkewWidth)
        #expect(
            expiry?.mismatch == [
                Expiry.Reading(source: .webTokenLifetime, seconds: 1799, margin: 1),
                Expiry.Reading(source: .webTokenExpiry, seconds: -3600),
            ]
        )
    }

    @Test("without a known offset a token from the future lives no longer than its lifetime")
    func futureWithoutOffset() {
        let expiry = Self.weigh([Self.webToken(4500.5, issued: 3600)])
        #expect(expiry?.seconds == 900.5)
        #expect(expiry?.source == .webTokenLifetime)
        #expect(expiry?.mismatch.map(\.source) == [.webTokenLifetime, .webTokenExpiry])
    }

    @Test(
        "a clock of ours that is wrong by hours changes nothing where the server says its time",
        arguments: [-36_000.0, -7200, 7200, 36_000]
    )
    func wrongClock(ahead: Double) {
        let offset = ServerOffset(low: ahead, likelyHigh: ahead + 1)
        let token = Self.webToken(ahead + 900.5, issued: ahead)
        let expiry = Self.weigh([token], offset: offset)
        #expect(expiry == Expiry(seconds: 900.5, source: .webTokenLifetime))
    }

    @Test("a token from a cache lives until its end, and is no mismatch")
    func cached() {
        let offset = ServerOffset(low: 0, likelyHigh: 1)
        let expiry = Self.weigh([Self.webToken(300, issued: -600)], offset: offset)
        #expect(expiry == Expiry(seconds: 299, source: .webTokenExpiry, skewWidth: 1))
    }

    @Test(
        "an absolute time is read at the pessimistic end of the offset",
        arguments: [
            (ServerOffset(low: -1, likelyHigh: 2), 898.0, 3.0),
            (ServerOffset(low: -3600, likelyHigh: -3599), 4499, 1),
            (ServerOffset(low: 3600, likelyHigh: 3601), -2701, 1),
        ]
    )
    func pessimisticEnd(offset: ServerOffset, seconds: Double, width: Double) {
        let expiry = Self.weigh([.instant(Self.at(900))], offset: offset)
        #expect(expiry == Expiry(seconds: seconds, source: .timestamp, skewWidth: width))
    }

    @Test("a relative lifetime does not touch the clocks")
    func relative() {
        let offset = ServerOffset(low: 3600, likelyHigh: 3609)
        let expiry = Self.weigh([.lifetime(seconds: 60)], offset: offset)
        #expect(expiry == Expiry(seconds: 60, source: .lifetime))
    }

    @Test("the more trusted source counts, in whatever order the evidence comes")
    func order() {
        let evidence: [ExpiryEvidence] = [
            .documented(seconds: 900), .inferredZone(Self.at(901)), .instant(Self.at(902)),
            Self.webToken(903), .lifetime(seconds: 900),
        ]
        #expect(Self.weigh(evidence)?.source == .lifetime)
        #expect(Self.weigh(evidence.reversed())?.source == .lifetime)
        #expect(Self.weigh(Array(evidence.dropLast()))?.source == .webTokenExpiry)
        #expect(Self.weigh(Array(evidence.prefix(2)))?.source == .inferredZone)
        #expect(Self.weigh(Array(evidence.prefix(1)))?.source == .assumed)
    }

    @Test(
        "two sources may differ by 5 s or 2 % of the lifetime, whichever is more",
        arguments: [
            (60.0, 55.0, false), (60, 54.9, true), (60, 65, false), (60, 65.1, true),
            (3600, 3528, false), (3600, 3527, true), (3600, 3672, false), (3600, 3673, true),
        ]
    )
    func tolerance(stated: Double, other: Double, isMismatch: Bool) throws {
        let offset = ServerOffset(low: 0, likelyHigh: 0)
        let evidence = [ExpiryEvidence.instant(Self.at(other)), .lifetime(seconds: stated)]
        let expiry = try #require(Self.weigh(evidence, offset: offset))
        #expect(expiry.mismatch.isEmpty == !isMismatch)
        let wanted = isMismatch ? min(stated, other) : stated
        #expect(abs(expiry.seconds - wanted) < 1e-6)
    }

    @Test("of a mismatch the earliest counts, and every reading is named, the trusted one first")
    func mismatch() {
        let evidence: [ExpiryEvidence] = [
            .instant(Self.at(1800)), .lifetime(seconds: 900), .documented(seconds: 60),
            Self.webToken(300),
        ]
        let expiry = Self.weigh(evidence)
        #expect(expiry?.seconds == 300)
        #expect(expiry?.source == .webTokenExpiry)
        #expect(expiry?.skewWidth == Expiry.unknownSkewWidth)
        #expect(
            expiry?.mismatch == [
                Expiry.Reading(source: .lifetime, seconds: 900),
                Expiry.Reading(source: .webTokenExpiry, seconds: 300),
                Expiry.Reading(source: .timestamp, seconds: 1800),
            ]
        )
    }

    @Test("what is documented never disagrees with what is stated")
    func documentedYields() {
        let expiry = Self.weigh([.documented(seconds: 900), .lifetime(seconds: 20)])
        #expect(expiry == Expiry(seconds: 20, source: .lifetime))
    }

    @Test(
        "a statement that is no number is no evidence",
        arguments: [Double.nan, .infinity, -.infinity]
    )
    func notNumbers(seconds: Double) {
        #expect(Self.weigh([.lifetime(seconds: seconds)]) == nil)
        let expiry = Self.weigh([.lifetime(seconds: seconds), .documented(seconds: 900)])
        #expect(expiry == Expiry(seconds: 900, source: .assumed))
    }

    @Test("a token that is over on arrival has a negative remainder")
    func deadOnArrival() {
        #expect(Self.weigh([.instant(Self.at(-30))])?.seconds == -30)
        #expect(Self.weigh([.lifetime(seconds: 0)])?.seconds == 0)
    }
}
