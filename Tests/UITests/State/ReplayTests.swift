import Basics
import FoundationEssentials
import Model
import Testing

@testable import Observer
@testable import UI

@Suite("A replay")
struct ReplayTests {
    private static let scripts =
        [(name: "ordinary", script: EventScript.ordinary())] + EventScript.allStates
        + EventScript.oddities

    /// Numbers that no run records.
    private static let strangeNumbers = [
        "\(Int64.max)", "\(Int64.min)", "1e300", "-1e300", "-1", "0", "1000000000000000000",
    ]

    @Test(
        "of a recording that was edited by hand does not trap",
        arguments: 0..<40 as Range<UInt64>
    )
    func edited(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let script = Self.scripts[Int(seed) % Self.scripts.count].script
        var lines = Recording.text(of: script).split(separator: "\n").map(String.init)
        for _ in 0..<4 {
            let index = Int.random(in: 1..<lines.count, using: &random)
            let event = lines[index].firstRange(of: "\"event\":")?.upperBound
            let numbers = lines[index][(event ?? lines[index].startIndex)...]
                .ranges(of: /-?\d+(\.\d+)?/)
            guard let place = numbers.randomElement(using: &random),
                let number = Self.strangeNumbers.randomElement(using: &random)
            else { continue }
            lines[index].replaceSubrange(place, with: number)
        }
        let text = lines.map { $0 + "\n" }.joined()
        guard let recording = try? Recording(reading: Array(text.utf8)) else { return }
        var state = DashboardState(sessions: [DashboardSession(id: script.id)])
        _ = state.update(.events(recording.events))
        var playback = Playback(of: recording)
        playback.perform(.toEnd, at: .origin)
        for pane in PaneCatalogue.all {
            state.press(.character(Character(String(pane.id.rawValue))))
            #expect(state.screen(120, 40, playback.moment).rows == 40)
            state.press("j", .enter)
            #expect(state.screen(80, 24, playback.moment).rows == 24)
            state.press(.escape)
        }
        state.press("i")
        #expect(state.screen(120, 40, playback.moment).rows == 40)
        #expect(!MarkdownReport(of: recording, utcOffsetSeconds: 0).text.isEmpty)
        for event in recording.events {
            #expect(!EventLine.text(of: event, causes: CauseText()).isEmpty)
        }
    }

    @Test("as Markdown it says what the feed did, and leaves out its messages")
    func feedInMarkdown() throws {
        let text = MarkdownReport(
            of: try Recording(of: EventScript.ordinary()),
            utcOffsetSeconds: 0
        ).text
        #expect(text.contains("feed: socket 1 open on gen"))
        #expect(!text.contains("| feed |"))
        #expect(!text.contains("post.created"))
    }

    @Test(
        "of a whole recording leads to the same state and the same frame, byte for byte",
        arguments: scripts.map(\.name)
    )
    func sameFrame(name: String) throws {
        let script = try #require(Self.scripts.first { $0.name == name }).script
        let recording = try Recording(of: script)
        var recorded = DashboardState(script)
        var replayed = DashboardState(sessions: [DashboardSession(id: script.id)])
        _ = replayed.update(.resized(columns: 120, rows: 40))
        _ = replayed.update(.events(recording.events))
        #expect(replayed == recorded)
        var playback = Playback(of: recording)
        playback.perform(.toEnd, at: .origin)
        #expect(playback.moment == script.now)
        let before = recorded.screen(120, 40, script.now)
        let after = replayed.screen(120, 40, playback.moment)
        #expect(after.text == before.text)
        #expect(after.styleText == before.styleText)
    }

    /// The dashboard in the middle of a replay.
    private static func state() throws -> (state: DashboardState, playback: Playback) {
        let script = EventScript.ordinary()
        var state = DashboardState(script)
        var playback = Playback(of: try Recording(of: script))
        playback.perform(.toggle, at: .origin)
        playback.perform(.toEnd, at: .origin)
        _ = state.update(.playback(playback))
        _ = state.update(.clock(playback.moment))
        return (state, playback)
    }

    @Test(
        "is moved by keys",
        arguments: [
            (" ", .toggle), (".", .step(1)), (",", .step(-1)), (.right, .seek(seconds: 10)),
            (.left, .seek(seconds: -10)), ("+", .faster), ("-", .slower), ("0", .toStart),
            ("$", .toEnd),
        ] as [(Key, PlaybackControl)]
    )
    func keys(key: Key, control: PlaybackControl) throws {
        var (state, _) = try Self.state()
        #expect(state.update(.key(key)) == [.playback(control)])
    }

    @Test(
        "sends and changes nothing",
        arguments: ["r", "p", "P", "l", "L", "o", "u", "S", "K"] as [Key]
    )
    func nothing(key: Key) throws {
        var (state, playback) = try Self.state()
        #expect(state.update(.key(key)) == [])
        #expect(state.screen(120, 40, playback.moment).text.contains("this is a recording"))
    }

    @Test("leaves the other keys as they are")
    func otherKeys() throws {
        var (state, playback) = try Self.state()
        #expect(state.update(.key("q")) == [.quit])
        state.press("?")
        #expect(state.screen(120, 100, playback.moment).text.contains("play, or hold"))
        state.press(.escape, "3", .enter)
        #expect(state.focus.rawValue == 3)
    }

    @Test("has its speed and its position in the header, and its keys in the last row")
    func header() throws {
        var (state, playback) = try Self.state()
        var lines = state.screen(120, 40, playback.moment).text.split(separator: "\n")
        #expect(lines[0].contains("replay over "))
        #expect(lines.last?.contains("Space play/hold") == true)
        #expect(lines.last?.contains("r renew") == false)
        playback.perform(.toStart, at: .origin)
        playback.perform(.faster, at: .origin)
        playback.perform(.toggle, at: .origin)
        _ = state.update(.playback(playback))
        lines = state.screen(120, 40, playback.moment).text.split(separator: "\n")
        #expect(lines[0].contains(playback.isPlaying ? "replay 2× 0 s of" : "replay held 0 s of"))
        #expect(state.screen(60, 16, playback.moment).text.contains("replay "))
    }

    @Test("that goes back forgets the events after, and keeps what is looked at")
    func back() throws {
        let script = EventScript.ordinary()
        var (state, playback) = try Self.state()
        state.press("3")
        let half = Array(script.events.prefix(script.events.count / 2))
        _ = state.update(.rewound)
        _ = state.update(.events(half))
        var fresh = DashboardState(sessions: [DashboardSession(id: script.id)])
        _ = fresh.update(.resized(columns: 120, rows: 40))
        _ = fresh.update(.playback(playback))
        _ = fresh.update(.clock(playback.moment))
        fresh.press("3")
        playback.perform(.toStart, at: .origin)
        _ = fresh.update(.rewound)
        _ = fresh.update(.events(half))
        #expect(state.book == fresh.book)
        #expect(state.focus.rawValue == 3)
    }
}
