import Basics
import Testing
import UI

@testable import Model
@testable import Observer

@Suite("A file of a recording")
struct RecordingReaderTests {
    private static func problem(_ text: String) -> RecordingProblem? {
        do throws(RecordingProblem) {
            _ = try Recording(reading: Array(text.utf8))
            return nil
        } catch {
            return error
        }
    }

    private static let lines = Sample.text([1, 2, 3]).split(separator: "\n").map(String.init)

    private static func file(_ lines: [String]) -> String { lines.map { $0 + "\n" }.joined() }

    @Test("that is another one is refused at its first line", arguments: ["", "no", "{}\n", "\n"])
    func foreign(text: String) {
        let problem = Self.problem(text)
        #expect(problem?.line == 1)
        #expect(problem?.message.contains("the first line of a recording") == true)
    }

    @Test("of a vault, or of another version, is refused as such")
    func version() {
        let vault = Self.problem(#"{"authtop":"vault","version":1}"# + "\n")
        #expect(vault?.message.contains("another kind of file") == true)
        let later = Self.lines[0].replacing("\"version\":1", with: "\"version\":2")
        let message = Self.problem(Self.file([later] + Self.lines.dropFirst()))?.message
        #expect(message?.contains("expected version 1 of the format, found 2") == true)
    }

    @Test("that is cut off within a line is read up to the line before", arguments: 1...4)
    func cutOff(whole: Int) throws {
        let text = Self.file(Array(Self.lines[..<whole])) + Self.lines[whole].prefix(20)
        let recording = try Recording(reading: Array(text.utf8))
        #expect(recording.events.count == whole - 1)
        #expect(recording.end == nil)
    }

    @Test("that is cut off at any byte is read up to the last whole line, if it has one")
    func everyByte() throws {
        let bytes = Array(Sample.text([1, 2]).utf8)
        for count in 0..<bytes.count {
            let part = Array(bytes[..<count])
            if part.contains(UInt8(ascii: "\n")) {
                let recording = try Recording(reading: part)
                #expect(recording.end == nil)
            } else {
                #expect(throws: RecordingProblem.self) { try Recording(reading: part) }
            }
        }
    }

    @Test(
        "names the member of an event that is not as expected, and its line",
        arguments: [
            ("\"nanoseconds\":", "\"seconds\":", "no member “event.moment.now.nanoseconds”"),
            ("\"login\":1,\"moment", "\"login\":\"x\",\"moment", "“event.login” that is no number"),
            ("\"saved\":{}", "\"sold\":{}", "event.kind"),
            ("\"event\":", "\"events\":", "no member “event”"),
        ]
    )
    func member(text: String, replacement: String, message: String) {
        var lines = Self.lines
        #expect(lines[2].contains(text))
        lines[2] = lines[2].replacing(text, with: replacement)
        let problem = Self.problem(Self.file(lines))
        #expect(problem?.line == 3)
        #expect(problem?.message.contains(message) == true, "\(problem?.message ?? "")")
    }

    @Test("reads an offset of the server's clock whose upper bound was a likely one")
    func earlierOffset() throws {
        let offset = ServerOffset(low: -0.5, likelyHigh: 0.75)
        var event = Sample.event(at: 0)
        event.kind = SkewChanged(offset)
        var lines = RecordingLines(limit: Recording.sizeLimit)
        let text = lines.begin(Sample.header) + (lines.add(event, causes: CauseText()) ?? "")
        let earlier = text.replacing("\"likelyHigh\":", with: "\"high\":")
        #expect(earlier != text)
        let recording = try Recording(reading: Array(earlier.utf8))
        #expect(recording.events.map { $0.kind as? SkewChanged } == [SkewChanged(offset)])
        let problem = Self.problem(text.replacing("\"likelyHigh\":", with: "\"width\":"))
        #expect(problem?.line == 2)
        #expect(problem?.message.contains("likelyHigh") == true, "\(problem?.message ?? "")")
    }

    @Test("has nothing behind its last line")
    func tail() {
        let problem = Self.problem(Self.file(Self.lines + [Self.lines[1]]))
        #expect(problem?.line == Self.lines.count)
        let twice = Self.problem(Self.file(Self.lines + [Self.lines[4], Self.lines[4]]))
        #expect(twice != nil)
    }

    @Test("stays within its limit, and says so in its last line", arguments: [900, 1_500, 5_000])
    func limit(bytes: Int) throws {
        let text = Sample.text((0..<100).map(Double.init), limit: bytes)
        #expect(text.utf8.count <= bytes)
        let recording = try Recording(reading: Array(text.utf8))
        #expect(recording.end?.end == .limit)
        #expect(recording.events.count < 100)
        // There would have been room for no other one.
        let size = text.utf8.count / max(1, recording.events.count)
        #expect(text.utf8.count + size + 2 * 256 > bytes)
    }
}
