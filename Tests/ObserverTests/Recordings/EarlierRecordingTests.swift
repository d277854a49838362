import Basics
import Foundation
import Profiles
import Testing
import UI

@testable import Model
@testable import Observer

/// The files of `Lines` were written by the program before an exchange was one type, and before the
/// statements about a pair were one.
@Suite("A recording of an earlier program")
struct EarlierRecordingTests {
    private static func lines(of name: String, in type: String = "ndjson") throws -> [String] {
        let folder = URL(filePath: #filePath).deletingLastPathComponent()
        let file = folder.appending(path: "Lines/\(name).\(type)")
        return try String(contentsOf: file, encoding: .utf8).split(separator: "\n").map(String.init)
    }

    /// A member of each line; the rest of an event's line may be said in other words.
    private static func members(_ name: String, of lines: [String]) -> [String] {
        lines.compactMap { line in
            JSONValue(parsing: Array(line.utf8))?.value(at: name)?.serialized
        }
    }

    @Test("has exchanges of each purpose and each end, which are written as they were")
    func session() throws {
        let lines = try Self.lines(of: "session")
        let text = lines.map { $0 + "\n" }.joined()
        let read = try Recording(reading: Array(text.utf8))
        var writer = RecordingLines(limit: Recording.sizeLimit)
        var written = [writer.begin(read.header)]
        for event in read.events { written.append(writer.add(event, causes: CauseText()) ?? "") }
        written = written.map { String($0.dropLast()) }
        #expect(written.first == lines.first)
        for name in ["event", "purpose", "class", "obstacle", "status", "cause"] {
            #expect(Self.members(name, of: written) == Self.members(name, of: lines))
        }
        #expect(
            Set(Self.members("purpose", of: lines)) == [
                "\"login\"", "\"refresh\"", "\"logout\"", "\"protected\"", "\"introspection\"",
                "\"userinfo\"", "\"socket\"", "\"preflight\"", "\"other\"",
            ]
        )
        #expect(Set(Self.members("class", of: lines)) == ["\"notSent\"", "\"unknown\""])
    }

    @Test("as an archive states the pair whose token a request carried, if it carried one")
    func archive() throws {
        let text = try Self.lines(of: "session").map { $0 + "\n" }.joined()
        let read = try Recording(reading: Array(text.utf8))
        guard
            case .array(let entries)? = HARDocument.json(of: read, version: "1")
                .value(at: "log.entries")
        else {
            Issue.record("no entries")
            return
        }
        #expect(entries.first?.value(at: "comment") == "acme #1: login")
        #expect(entries.first?.value(at: "_generation") == nil)
        #expect(entries.last?.value(at: "_generation") == 2)
    }

    @Test("becomes the archive that the earlier program made of it")
    func document() throws {
        func entries(_ document: JSONValue?) throws -> [String] {
            guard case .array(let entries) = try #require(document?.value(at: "log.entries")) else {
                return []
            }
            return entries.map(\.serialized)
        }
        let text = try Self.lines(of: "session").map { $0 + "\n" }.joined()
        let read = try Recording(reading: Array(text.utf8))
        let made = try entries(HARDocument.json(of: read, version: "1"))
        let archive = try Self.lines(of: "session", in: "har").joined()
        let before = try entries(JSONValue(parsing: Array(archive.utf8)))
        #expect(made.count == before.count && !made.isEmpty)
        for (entry, old) in zip(made, before) { #expect(entry == old) }
    }

    @Test("has pairs of which a backend states more or less, which are written as they were")
    func pairs() throws {
        let lines = try Self.lines(of: "pairs")
        let read = try Recording(reading: Array(lines.map { $0 + "\n" }.joined().utf8))
        let written = read.events.map { RecordingLines.text(of: $0, causes: CauseText()) }
        #expect(written == Array(lines.dropFirst().dropLast()))
        let statements = read.events.compactMap { ($0.kind as? TokensIssued)?.pair.statements }
        let all = PairStatements(
            subject: "123",
            displayName: "user@example.com",
            account: [
                AccountDetail(path: "token_type", value: "bearer"),
                AccountDetail(path: "has_profile", value: "true"),
            ]
        )
        #expect(statements == [all, all, PairStatements(subject: "123"), PairStatements()])
    }

    @Test("has what was observed, which is written as it was")
    func observation() throws {
        let lines = try Self.lines(of: "observation")
        let text = lines.map { $0 + "\n" }.joined()
        let read = try ObservationRecording(reading: Array(text.utf8))
        var writer = RecordingLines(limit: Recording.sizeLimit)
        var written = [writer.begin(read.header)]
        for entry in read.entries { written.append(writer.add(entry.input, at: entry.at) ?? "") }
        #expect(written.count == lines.count - 1)
        for (again, line) in zip(written, lines) {
            // The members of a set have no order.
            #expect(again.dropLast().utf8.sorted() == line.utf8.sorted(), "\(line)")
        }
        let purposes = Self.members("input.kind.requested._0.purpose", of: lines)
        #expect(
            Set(purposes) == [
                "\"login\"", "\"refresh\"", "\"logout\"", "\"protected\"", "\"question\"",
                "\"socket\"", "\"stream\"", "\"preflight\"", "\"other\"",
            ]
        )
    }

    @Test("has questions and streams of an app, which events call introspections and sockets")
    func words() throws {
        let text = try Self.lines(of: "observation").map { $0 + "\n" }.joined()
        let read = try ObservationRecording(reading: Array(text.utf8))
        // These have a purpose each, as a profile says it.
        let lines = read.observed.recording.events
            .map { RecordingLines.text(of: $0, causes: CauseText()) }
            .filter { $0.contains("\"kind\":\"request\"") && $0.contains("\"id\":90") }
        #expect(
            Self.members("purpose", of: lines) == [
                "\"login\"", "\"refresh\"", "\"logout\"", "\"protected\"", "\"introspection\"",
                "\"socket\"", "\"socket\"", "\"preflight\"", "\"other\"",
            ]
        )
    }
}
