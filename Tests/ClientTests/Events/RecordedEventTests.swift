import Basics
import Client
import Model
import Testing
import UI

@testable import Observer
@testable import Profiles

@Suite("An event in a recording")
struct RecordedEventTests {
    /// The reading of a file of these events.
    private static func reread(_ kinds: [any EventKind]) throws -> (
        written: Recording, read: Recording, text: String
    ) {
        var account = Account()
        for kind in kinds {
            account.add(kind)
            account.wait(0.123_456_789)
        }
        let written = Recording(
            header: Recording.Header(
                startedAt: account.events[0].moment,
                sessions: [Recording.Session(id: account.id, faults: ["delay"])]
            ),
            events: account.events,
            end: Recording.End(endedAt: account.now, end: .ended)
        )
        var lines = RecordingLines(limit: Recording.sizeLimit)
        var text = lines.begin(written.header)
        for event in written.events { text += lines.add(event, causes: CauseText()) ?? "" }
        text += lines.finish(at: account.now, .ended) ?? ""
        return (written, try Recording(reading: Array(text.utf8)), text)
    }

    @Test("is read as it was written, whatever its kind", arguments: EventSamples.all)
    func everyKind(kind: any EventKind) throws {
        let (written, read, _) = try Self.reread([kind])
        #expect(read == written)
    }

    @Test("begins as the line that --json prints")
    func sameLine() throws {
        let (written, _, text) = try Self.reread(EventSamples.all)
        let lines = text.split(separator: "\n")
        #expect(lines.count == written.events.count + 2)
        for (line, event) in zip(lines.dropFirst(), written.events) {
            let printed = EventLine.text(of: event, causes: CauseText())
            #expect(line.hasPrefix(printed.dropLast() + #","event":{"#))
        }
    }

    @Test(
        "has the names that recordings have always had",
        arguments: [("offline", "{"), ("leadLeft", "[")]
    )
    func names(name: String, value: String) throws {
        let (_, _, text) = try Self.reread(EventSamples.all)
        #expect(text.contains("\"\(name)\":\(value)"))
    }

    @Test("has no part of a secret that the event has")
    func secret() throws {
        let id = "session-of-the-secret-kind"
        let session = ListedSession(id: "session-of-‹3f9c21ab›", exactID: Secret(id))
        let (_, read, text) = try Self.reread([SessionListUpdate.listed([session])])
        #expect(!text.contains("secret-kind"))
        var shown = session
        shown.exactID = nil
        #expect(read.events.map { $0.kind as? SessionListUpdate } == [.listed([shown])])
    }

    @Test("keeps numbers exactly, also those that JSON does not have")
    func numbers() throws {
        let steps: [Double] = [.infinity, -0.1, 1e300]
        let durations: [Duration] = [.seconds(1_000_000_000), .nanoseconds(1), .seconds(-20)]
        let kinds: [any EventKind] =
            steps.map { WallClockStepped(seconds: $0) }
            + durations.map { Interruption(cause: .stopped, duration: $0) }
        let (written, read, _) = try Self.reread(kinds)
        #expect(read == written)
    }

    @Test("has nothing that steers a terminal")
    func unseen() throws {
        let kind = PairUnsaved(VaultProblem(message: "a\u{1B}[2J\u{202E}b\u{9B}c\nd"))
        let (written, read, text) = try Self.reread([kind])
        #expect(read == written)
        #expect(text.unicodeScalars.allSatisfy { $0 == "\n" || !$0.isUnseen })
        #expect(text.split(separator: "\n").count == 3)
    }
}
