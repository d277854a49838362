import Basics
import Model
import Observer
import Testing

@Suite("A playback")
struct PlaybackTests {
    /// Events at 1, 2, 2, and 10 s, and the end at 12 s.
    private static let recording = Sample.recording([1, 2, 2, 10], end: 12)

    private static func instant(_ seconds: Double) -> Instant {
        Instant.origin.advanced(bySeconds: 5_000 + seconds)
    }

    /// A playback that began at 0 on the clock of its viewer.
    private static func playback() -> Playback {
        var playback = Playback(of: recording)
        playback.advance(to: instant(0))
        return playback
    }

    @Test("moves on with the clock, to the end", arguments: [(0, 0), (1, 1), (2.5, 3), (30, 4)])
    func plays(seconds: Double, applied: Int) {
        var playback = Self.playback()
        playback.advance(to: Self.instant(seconds))
        #expect(playback.applied == applied)
        #expect(playback.elapsed == min(seconds, 12))
        #expect(playback.isPlaying == (seconds < 12))
        #expect(playback.isAtEnd == (seconds >= 12))
    }

    @Test("shows the clocks of the recorded run")
    func moment() {
        var playback = Self.playback()
        playback.advance(to: Self.instant(2.5))
        #expect(playback.moment == Sample.moment(2.5))
        playback.perform(.toEnd, at: Self.instant(3))
        #expect(playback.moment == Sample.moment(12))
    }

    @Test("holds, and goes on from there")
    func toggles() {
        var playback = Self.playback()
        playback.perform(.toggle, at: Self.instant(1.5))
        playback.advance(to: Self.instant(100))
        #expect(playback.applied == 1)
        playback.perform(.toggle, at: Self.instant(200))
        playback.advance(to: Self.instant(200.6))
        #expect(playback.applied == 3)
    }

    @Test("steps from event to event, and holds there")
    func steps() {
        var playback = Self.playback()
        let forward = (1...5).map { _ in
            playback.perform(.step(1), at: Self.instant(0))
            return playback.applied
        }
        #expect(forward == [1, 3, 4, 4, 4])
        #expect(playback.isAtEnd && !playback.isPlaying)
        let back = (1...4).map { _ in
            playback.perform(.step(-1), at: Self.instant(0))
            return playback.applied
        }
        #expect(back == [4, 3, 1, 0])
    }

    @Test("seeks, but never beyond its ends")
    func seeks() {
        var playback = Self.playback()
        playback.perform(.seek(seconds: 5), at: Self.instant(0))
        #expect(playback.applied == 3 && playback.isPlaying)
        playback.perform(.seek(seconds: 1e9), at: Self.instant(0))
        #expect(playback.elapsed == 12)
        playback.perform(.seek(seconds: -1e9), at: Self.instant(0))
        #expect(playback.elapsed == 0 && playback.applied == 0)
        playback.perform(.toEnd, at: Self.instant(0))
        playback.perform(.toStart, at: Self.instant(0))
        #expect(playback.elapsed == 0)
    }

    @Test("plays again from its end")
    func again() {
        var playback = Self.playback()
        playback.advance(to: Self.instant(20))
        playback.perform(.toggle, at: Self.instant(30))
        #expect(playback.elapsed == 0 && playback.isPlaying)
    }

    @Test("plays faster and slower within bounds, and wakes its viewer accordingly")
    func speed() {
        var playback = Self.playback()
        #expect(playback.nextChange(after: Self.instant(0)) == Self.instant(1))
        playback.perform(.faster, at: Self.instant(0))
        #expect(playback.nextChange(after: Self.instant(0)) == Self.instant(0.5))
        playback.advance(to: Self.instant(1))
        #expect(playback.elapsed == 2)
        for _ in 1...20 { playback.perform(.faster, at: Self.instant(1)) }
        #expect(playback.speed == 64)
        for _ in 1...20 { playback.perform(.slower, at: Self.instant(1)) }
        #expect(playback.speed == 0.25)
        playback.perform(.toggle, at: Self.instant(1))
        #expect(playback.nextChange(after: Self.instant(1)) == nil)
    }

    @Test("of nothing is over at once")
    func empty() {
        var playback = Playback(of: Sample.recording([]))
        #expect(playback.isAtEnd)
        playback.perform(.step(1), at: Self.instant(0))
        playback.perform(.step(-1), at: Self.instant(0))
        #expect(playback.applied == 0 && playback.duration == 0)
    }

    @Test("puts events of several sessions that are out of order at the later time")
    func disorder() {
        var playback = Playback(of: Sample.recording([2, 1, 3]))
        playback.advance(to: Self.instant(0))
        playback.perform(.step(1), at: Self.instant(0))
        #expect(playback.applied == 2)
        playback.perform(.step(1), at: Self.instant(0))
        #expect(playback.applied == 3)
    }
}
