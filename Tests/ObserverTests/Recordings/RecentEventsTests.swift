import Basics
import Model
import Testing
import UI

@testable import Observer

@Suite("The recent events")
struct RecentEventsTests {
    private static func event(_ kind: any EventKind, at seconds: Double) -> SessionEvent {
        SessionEvent(
            moment: Sample.moment(seconds),
            session: SessionID("acme"),
            profile: "acme",
            login: 1,
            generation: 1,
            kind: kind
        )
    }

    private static func times(_ recent: RecentEvents, at seconds: Double) -> [Double] {
        recent.recording(of: [], at: Sample.moment(seconds)).events.map {
            $0.moment.now.seconds(since: Sample.moment(0).now)
        }
    }

    @Test("are those of the last ten minutes")
    func duration() {
        var recent = RecentEvents()
        for second in stride(from: 0.0, through: 700, by: 100) {
            recent.append(Self.event(NoProgress(), at: second))
        }
        #expect(Self.times(recent, at: 700) == [100, 200, 300, 400, 500, 600, 700])
        #expect(recent.span(at: Sample.moment(700).now) == 600)
        #expect(recent.count == 7)
    }

    @Test("are not more than the limit")
    func limit() {
        var recent = RecentEvents(limit: 3)
        for second in 0..<10 { recent.append(Self.event(NoProgress(), at: Double(second))) }
        #expect(Self.times(recent, at: 10) == [7, 8, 9])
    }

    @Test("follow nothing of a session that was forgotten before them")
    func forgotten() {
        var recent = RecentEvents(limit: 2)
        let forgotten = ForgottenSession(limit: 1, lastUsedAt: Sample.moment(0).now, hasEnded: true)
        let kinds: [any EventKind] = [
            PairSaved(), forgotten, NoProgress(), NoProgress(),
        ]
        for (second, kind) in kinds.enumerated() {
            recent.append(Self.event(kind, at: Double(second)))
        }
        #expect(Self.times(recent, at: 4) == [2, 3])
    }

    @Test("follow the earlier ones that the state still depends on, in their order")
    func earlier() {
        var recent = RecentEvents(limit: 2)
        let kinds: [any EventKind] = [
            RenewalResumed(by: .user), NoProgress(), RenewalPaused(.all, by: .user), PairSaved(),
            RenewalPaused(.timer, by: .user), NoProgress(), NoProgress(),
        ]
        for (second, kind) in kinds.enumerated() {
            recent.append(Self.event(kind, at: Double(second)))
        }
        #expect(Self.times(recent, at: 7) == [0, 3, 4, 5, 6])
        #expect(recent.count == 2)
        let recording = recent.recording(of: [], at: Sample.moment(7))
        #expect(recording.header.startedAt == Sample.moment(5))
        #expect(recording.end?.endedAt == Sample.moment(7))
    }

    @Test("are a recording that is read again as it was")
    func readAgain() throws {
        var recent = RecentEvents(limit: 2)
        for second in 0..<5 { recent.append(Self.event(PairSaved(), at: Double(second))) }
        let recording = recent.recording(of: Sample.header.sessions, at: Sample.moment(9))
        var lines = RecordingLines(limit: Recording.sizeLimit)
        var text = lines.begin(recording.header)
        for event in recording.events { text += lines.add(event, causes: CauseText()) ?? "" }
        text += lines.finish(at: Sample.moment(9), .ended) ?? ""
        #expect(try Recording(reading: Array(text.utf8)) == recording)
    }
}
