import Basics
import FoundationEssentials
import Model
import Observer
import UI

/// A recording of saves, each at this many seconds.
enum Sample {
    static func moment(_ seconds: Double) -> Moment {
        Moment(
            now: Instant.origin.advanced(bySeconds: 100 + seconds),
            wall: Date(timeIntervalSince1970: 1_763_733_600 + seconds)
        )
    }

    static func event(at seconds: Double) -> SessionEvent {
        SessionEvent(
            moment: moment(seconds),
            session: SessionID("acme"),
            profile: "acme",
            login: 1,
            generation: 1,
            kind: PairSaved()
        )
    }

    static func recording(_ seconds: [Double], end: Double? = nil) -> Recording {
        Recording(
            header: header,
            events: seconds.map(event),
            end: end.map { Recording.End(endedAt: moment($0), end: .ended) }
        )
    }

    static let header = Recording.Header(
        startedAt: moment(0),
        sessions: [Recording.Session(id: SessionID("acme"), faults: [])]
    )

    static func text(_ seconds: [Double], limit: Int = Recording.sizeLimit) -> String {
        var lines = RecordingLines(limit: limit)
        var text = lines.begin(header)
        for second in seconds { text += lines.add(event(at: second), causes: CauseText()) ?? "" }
        return text + (lines.finish(at: moment(seconds.last ?? 0), .ended) ?? "")
    }
}
