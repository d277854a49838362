import Basics
import FoundationEssentials
import Model
import Testing

@testable import Stores

@Suite("Stores: what changes, and what is wrong")
struct LocalSessionsTests {
    private static let now = StoreSample.now

    private func token(
        _ text: String,
        end: Double? = nil,
        issued: Double? = nil,
        begin: Double? = nil,
        own: Double? = nil,
        subject: String? = nil
    ) -> StoredToken {
        func date(_ seconds: Double?) -> Date? { seconds.map(Self.now.addingTimeInterval) }
        return StoredToken(
            fingerprint: StoreSample.fingerprinter.fingerprint(of: Secret(text)),
            statedEnd: date(end),
            claims: issued == nil && begin == nil && own == nil
                ? nil
                : .init(
                    expiresAt: date(own),
                    issuedAt: date(issued),
                    notBefore: date(begin),
                    issuer: nil,
                    subject: subject,
                    audience: nil,
                    scope: nil
                )
        )
    }

    private func session(
        _ file: String = "/a",
        access: StoredToken? = nil,
        refresh: StoredToken? = nil,
        idToken: StoredToken? = nil,
        store: String = "acme",
        renewal: StoreDefinition.Renewal? = nil,
        isOneTime: Bool? = nil,
        account: String? = nil
    ) -> StoredSession {
        StoredSession(
            id: .init(file: file, place: "0"),
            store: store,
            title: store,
            account: account,
            access: access,
            refresh: refresh,
            idToken: idToken,
            renewal: renewal,
            isOneTime: isOneTime
        )
    }

    private func scan(
        _ sessions: [StoredSession],
        mode: UInt32 = 0o600,
        folder: String? = nil
    ) -> StoreScan {
        StoreScan(
            files: sessions.map { session in
                StoreScan.File(
                    path: session.id.file,
                    store: session.store,
                    title: session.title,
                    sessions: [session],
                    facts: FileFacts(modified: Self.now, mode: mode, protectingFolder: folder)
                )
            },
            date: Self.now
        )
    }

    private func findings(_ scans: StoreScan...) -> [String] {
        var sessions = LocalSessions()
        for scan in scans { sessions.take(scan) }
        return sessions.findings(at: Self.now).map {
            "\($0.rule.rawValue) \($0.severity.rawValue) \($0.confidence.rawValue)"
        }
    }

    @Test("a session in order has no finding")
    func healthy() {
        let access = token("a", end: 3_600, issued: -10, own: 3_600)
        #expect(findings(scan([session(access: access, refresh: token("r"))])).isEmpty)
    }

    @Test("a refresh token at two places is named by what is known of its uses")
    func shared() {
        func pair(_ isOneTime: Bool?, store: String = "other") -> [StoredSession] {
            [
                session("/a", refresh: token("r"), isOneTime: isOneTime),
                session("/b", refresh: token("r"), store: store, isOneTime: isOneTime),
            ]
        }
        #expect(findings(scan(pair(true))) == ["shared-refresh-token bug certain"])
        #expect(findings(scan(pair(nil))) == ["shared-refresh-token risk likely"])
        #expect(findings(scan(pair(false))) == ["shared-refresh-token note certain"])
        // A program that keeps its own reusable token twice.
        #expect(findings(scan(pair(false, store: "acme"))).isEmpty)
        let others = [session("/a", refresh: token("r")), session("/b", refresh: token("s"))]
        #expect(findings(scan(others)).isEmpty)
    }

    @Test("an older token over a newer one is named, a newer one over an older one is not")
    func older() {
        let first = scan([session(access: token("a", issued: -100, own: 900))])
        let second = scan([session(access: token("b", issued: -10, own: 900))])
        #expect(findings(first, second).isEmpty)
        #expect(findings(second, first) == ["older-pair bug certain"])
        let opaque = ["a", "b", "a"].map { scan([session(refresh: token($0))]) }
        #expect(findings(opaque[0], opaque[1]).isEmpty)
        #expect(findings(opaque[0], opaque[1], opaque[2]) == ["returned-token risk likely"])
    }

    @Test("a token of another user or for another use is no older one")
    func others() {
        func scan(_ account: String?, _ name: String, issued: Double?, subject: String? = nil)
            -> StoreScan
        {
            self.scan([
                session(
                    access: token(name, issued: issued, own: 900, subject: subject),
                    refresh: token("r\(name)"),
                    account: account
                )
            ])
        }
        // As when a user switches between two accounts, and back.
        let accounts = [scan("ada", "a", issued: nil), scan("grace", "b", issued: nil)]
        #expect(findings(accounts[0], accounts[1], accounts[0]).isEmpty)
        let issued = [scan("ada", "a", issued: -10), scan("grace", "b", issued: -100)]
        #expect(findings(issued[0], issued[1]).isEmpty)
        let subjects = [
            scan(nil, "a", issued: -10, subject: "1"), scan(nil, "b", issued: -100, subject: "2"),
        ]
        #expect(findings(subjects[0], subjects[1]).isEmpty)
        let same = [scan("ada", "a", issued: -10), scan("ada", "b", issued: -100)]
        #expect(findings(same[0], same[1]) == ["older-pair bug certain"])
    }

    @Test("an id token stands for the access token where there is none, and not beside one")
    func identity() throws {
        let tokens = [
            token("a", issued: -100, own: 900), token("b", issued: -10, own: 900),
            token("c", issued: 120, own: 900),
        ]
        let alone = tokens.map { scan([session(refresh: token("r"), idToken: $0)]) }
        #expect(findings(alone[0], alone[1]).isEmpty)
        #expect(findings(alone[1], alone[0]) == ["older-pair bug certain"])
        #expect(findings(alone[2]) == ["clock risk likely"])
        let beside = tokens.map { scan([session(access: token("x"), idToken: $0)]) }
        #expect(findings(beside[1], beside[0]).isEmpty)
        var sessions = LocalSessions()
        for scan in [alone[0], alone[1]] { sessions.take(scan) }
        let change = try #require(sessions.entries.values.first?.history.last)
        #expect(
            change.kind
                == .token(.id, from: tokens[0].fingerprint, to: tokens[1].fingerprint, age: .newer)
        )
    }

    @Test("of two opaque tokens that are written at once, an earlier end tells the older one")
    func raced() {
        let scans = [-60.0, 3_600, 3_300].enumerated().map { index, end in
            scan([session(access: token("\(index)", end: end), refresh: token("r\(index)"))])
        }
        #expect(findings(scans[0], scans[1]).isEmpty)
        #expect(findings(scans[0], scans[1], scans[2]) == ["older-pair risk likely"])
        #expect(findings(scans[0], scans[2], scans[1]).isEmpty)
        // It replaces the one that was there at the start, which no program has just written.
        #expect(findings(scans[1], scans[2]).isEmpty)
    }

    @Test("a token that has ended, although the file says that it has not, is named")
    func statedEnd() {
        let wrong = token("a", end: 3_600, own: -60)
        let right = token("a", end: -60, own: -60)
        #expect(findings(scan([session(access: wrong)])) == ["stated-end bug certain"])
        #expect(findings(scan([session(access: right)])).isEmpty)
        let inferred = StoredToken(
            fingerprint: wrong.fingerprint,
            statedEnd: wrong.statedEnd,
            isInferred: true,
            claims: wrong.claims
        )
        #expect(findings(scan([session(access: inferred)])).isEmpty)
    }

    @Test("a file that others can read is a risk, or a note if a folder keeps them out")
    func mode() {
        let one = [session(access: token("a", end: 9_999))]
        #expect(findings(scan(one, mode: 0o644)) == ["readable-file risk certain"])
        #expect(findings(scan(one, mode: 0o644, folder: "/home")) == ["readable-file note certain"])
        #expect(findings(scan(one, mode: 0o640)).isEmpty)
    }

    @Test("a token from the future tells of a clock, one of this minute does not")
    func clock() {
        let ahead = session(access: token("a", end: 9_999, issued: 300))
        #expect(findings(scan([ahead])) == ["clock risk likely"])
        #expect(findings(scan([session(access: token("a", end: 9_999, issued: 30))])).isEmpty)
    }

    @Test(
        "a token that is valid only later is named, but not beside a clock that explains it",
        arguments: [
            (nil, 300, ["not-yet-valid risk certain"]), (-10, 300, ["not-yet-valid risk certain"]),
            (nil, 30, []), (-10, -10, []), (300, 300, ["clock risk likely"]),
        ] as [(Double?, Double, [String])]
    )
    func notYetValid(issued: Double?, begin: Double, expected: [String]) {
        let token = token("a", end: 9_999, issued: issued, begin: begin)
        #expect(findings(scan([session(access: token, refresh: self.token("r"))])) == expected)
    }

    @Test("what ends soon is named unless something renews it")
    func unrenewed() {
        let soon = token("a", end: 120)
        #expect(
            findings(scan([session(access: soon, renewal: .login)])) == ["unrenewed note certain"]
        )
        #expect(findings(scan([session(access: soon)])) == ["unrenewed note likely"])
        // A program that could renew has nothing here to do so with.
        #expect(
            findings(scan([session(access: soon, renewal: .program)])) == ["unrenewed note likely"]
        )
        #expect(findings(scan([session(access: soon, refresh: token("r"))])).isEmpty)
    }

    @Test("what is wrong, and in which order, stays until the moment that is told")
    func horizon() {
        let ends = [-60.0, 30, 599, 600, 601, 660, 3_600]
        var sessions = LocalSessions()
        var files: [StoredSession] = []
        for (number, end) in ends.enumerated() {
            let refresh = token("r\(number % 3)", end: number % 2 == 0 ? nil : end + 20)
            files.append(session("/a\(number)", access: token("a\(number)", end: end)))
            files.append(
                session("/b\(number)", access: token("b\(number)", end: end), refresh: refresh)
            )
            files.append(session("/c\(number)", access: token("c\(number)", end: end, issued: end)))
            files.append(
                session("/d\(number)", access: token("d\(number)", end: end, own: end / 2))
            )
            files.append(session("/e\(number)", refresh: refresh))
        }
        sessions.take(scan(files))
        func result(_ horizon: inout Horizon) -> ([StoreFinding], [StoredSession.ID]) {
            let findings = sessions.findings(within: &horizon)
            let order = LocalSessions.ordered(sessions.entries.values, within: &horizon)
            return (findings, order.map(\.session.id))
        }
        var held = Horizon(Self.now)
        var (findings, order) = result(&held)
        var changes = 0
        // Around each moment at which something may change, and between.
        var seconds = Array(stride(from: 0.0, to: 3_700, by: 97))
        for end in ends {
            for moment in [end, end - 600, end / 2, end + 20, end - 60] {
                seconds += [moment - 1, moment, moment + 1]
            }
        }
        for second in seconds.sorted() where second >= 0 {
            var now = Horizon(Self.now.addingTimeInterval(second))
            let fresh = result(&now)
            if let next = held.next, now.now >= next {
                changes += 1
                (held, findings, order) = (now, fresh.0, fresh.1)
            }
            #expect(findings == fresh.0, "after \(second) s")
            #expect(order == fresh.1, "after \(second) s")
        }
        // Each end, the beginning of its warning, and what the other tokens say: no more moments.
        #expect(changes > ends.count && changes < 40)
        #expect(held.next == nil)
    }

    @Test("a file that can no longer be read keeps its sessions, one that is gone does not")
    func gone() {
        var sessions = LocalSessions()
        sessions.take(scan([session("/a", access: token("a")), session("/b", access: token("b"))]))
        let broken = StoreScan.File(
            path: "/a",
            store: "acme",
            title: "acme",
            problem: .notInFormat(.json)
        )
        sessions.take(StoreScan(files: [broken], date: Self.now))
        #expect(sessions.entries.keys.map(\.file) == ["/a"])
        #expect(sessions.problems.map(\.path) == ["/a"])
    }

    @Test("an empty file is nothing wrong, and keeps the sessions that were in it")
    func empty() {
        var sessions = LocalSessions()
        sessions.take(scan([session("/a", access: token("a"))]))
        let empty = ["/a", "/a.lock"].map { path in
            StoreScan.File(path: path, store: "acme", title: "acme", problem: .empty)
        }
        sessions.take(StoreScan(files: empty, date: Self.now))
        #expect(sessions.entries.keys.map(\.file) == ["/a"])
        #expect(sessions.problems.map(\.path) == ["/a"])
    }

    @Test("the history of a session is bounded, and says how much it has forgotten")
    func history() {
        var sessions = LocalSessions()
        for number in 0...150 {
            sessions.take(scan([session(access: token("a\(number)", end: 9_999))]))
        }
        let entry = sessions.entries.values.first
        #expect(entry?.history.count == LocalSessions.historyLimit)
        #expect(entry?.forgotten == 151 - LocalSessions.historyLimit)
        #expect(entry?.history.first?.kind == .found)
    }
}
