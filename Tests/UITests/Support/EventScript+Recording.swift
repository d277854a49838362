import Model
import UI

@testable import Observer

extension Recording {
    /// The recording of a story.
    init(of script: EventScript) throws {
        try self.init(reading: Array(Self.text(of: script).utf8))
    }

    static func text(of script: EventScript) -> String {
        var lines = RecordingLines(limit: Recording.sizeLimit)
        let header = Recording.Header(
            startedAt: EventScript.start,
            sessions: [Recording.Session(id: script.id, faults: [])]
        )
        var text = lines.begin(header)
        for event in script.events { text += lines.add(event, causes: CauseText()) ?? "" }
        text += lines.finish(at: script.now, .ended) ?? ""
        return text
    }
}
