import Basics
import Client
import Testing

@testable import Model

@Suite("A book of several sessions")
struct SessionBookTests {
    private static func events(_ id: String, renewals: Int) -> [SessionEvent] {
        var account = Account(session: SessionID(id))
        account.logIn(life: 20)
        for _ in 0..<renewals {
            account.wait(14)
            account.renew(life: 20)
        }
        return account.events
    }

    @Test("interleaved events give each session the snapshot that its own events give")
    func interleaved() {
        let first = Self.events("a", renewals: 3)
        let second = Self.events("b", renewals: 5)
        var book = SessionBook(ids: [SessionID("b")])
        for index in 0..<max(first.count, second.count) {
            if index < first.count { book.apply(first[index]) }
            if index < second.count { book.apply(second[index]) }
        }
        #expect(book.ids == [SessionID("b"), SessionID("a")])
        #expect(book[SessionID("a")] == SessionSnapshot(folding: first))
        #expect(book[SessionID("b")] == SessionSnapshot(folding: second))
        #expect(book[SessionID("b")].statistics.renewals.succeeded == 5)
        #expect(book[SessionID("c")] == SessionSnapshot())
    }

    @Test("the log of a session is bounded, independently of other sessions")
    func bounded() {
        var busy = Account(session: SessionID("busy"))
        var calm = Account(session: SessionID("calm"))
        calm.add(Exchange.sample())
        var book = SessionBook(folding: calm.events)
        for number in 0..<SessionSnapshot.requestLimit + 10 {
            var record = Exchange.sample()
            record.id = number
            busy.add(record)
        }
        for event in busy.events { book.apply(event) }
        #expect(book[SessionID("busy")].requests.count == SessionSnapshot.requestLimit)
        #expect(book[SessionID("calm")].requests.count == 1)
    }

    @Test("a finding that happens again takes the place of the same one, and the oldest go first")
    func findings() {
        func finding(
            _ number: Int,
            count: Int,
            lastAt: Moment = Account().now
        ) -> any EventKind {
            ObservedFinding(
                number: number,
                rule: "race",
                severity: .bug,
                confidence: .certain,
                evidence: [],
                message: "",
                remedy: "",
                firstAt: Account().now,
                lastAt: lastAt,
                count: count
            )
        }
        var app = Account(session: SessionID("1"))
        var other = Account(session: SessionID("2"))
        app.add(finding(1, count: 1))
        other.add(finding(2, count: 1))
        app.add(finding(1, count: 2))
        var book = SessionBook(folding: [app.events[0], other.events[0], app.events[1]])
        #expect(book.findings.map(\.finding.count) == [2, 1])
        #expect(book.findings.map(\.session) == [app.id, other.id])
        // Better proof of the same occurrence is no other one.
        app.wait(1)
        app.add(finding(1, count: 1, lastAt: app.now))
        book.apply(app.events[2])
        #expect(book[app.id].history.entries.count == 1)
        for number in 0..<SessionBook.findingLimit { app.add(finding(number + 3, count: 1)) }
        for event in app.events.dropFirst(3) { book.apply(event) }
        #expect(book.findings.count == SessionBook.findingLimit)
        #expect(book.findings.first?.number == 3)
    }

    @Test(
        "an id is the profile's name, with the backend where another profile has the same name",
        arguments: [
            ([("a", "http://h:1"), ("b", "http://h:1")], ["a", "b"]),
            (
                [("a", "http://h:1/x"), ("a", "https://g/y"), ("b", "http://h:1")],
                ["a@h:1", "a@g", "b"]
            ),
            (
                [("a", "http://h:1/x"), ("a", "http://h:1/y")],
                ["a@http://h:1/x", "a@http://h:1/y"]
            ),
        ]
    )
    func ids(profiles: [(String, String)], expected: [String]) {
        let ids = SessionID.ids(of: profiles.map { (name: $0.0, baseURL: $0.1) })
        #expect(ids.map(\.description) == expected)
        #expect(Set(ids).count == profiles.count)
    }

    @Test(
        "ten times as many profiles do not take a hundred times as long",
        .timeLimit(.minutes(20))
    )
    func manyIDs() {
        let profiles = (0..<50_000).map { (name: "s\($0)", baseURL: "http://127.0.0.1:\($0)") }
        #expect(SessionID.ids(of: profiles).last == SessionID("s49999"))
    }
}
