package import Basics
import FoundationEssentials

/// The user's requests to a playback.
package enum PlaybackControl: Sendable, Hashable {
    case toggle
    /// To the next event, or the one before, and hold there.
    case step(Int)
    /// By this many seconds of the recording.
    case seek(seconds: Double)
    case toStart
    case toEnd
    case faster
    case slower
}

/// The position in a recording, which moves on while it plays.
///
/// Pure: the caller says what time it is, and applies the events up to `applied`.
package struct Playback: Sendable, Equatable {
    /// Seconds of the recording in each second.
    static let speeds = [0.25, 0.5, 1, 2, 4, 8, 16, 32, 64]

    /// When each event happened; the events of several sessions may be slightly out of order, in
    /// which case the later time counts.
    private let instants: [Instant]
    private let moments: [Moment]
    private let start: Moment
    private let end: Moment

    package private(set) var isPlaying = true
    package private(set) var speed = 1.0
    private var position: Instant
    /// The number of events up to the position.
    package private(set) var applied = 0
    /// When the position was last moved, on the clock of the caller.
    private var movedAt: Instant?

    package init(of recording: Recording) {
        var latest = recording.header.startedAt.now
        instants = recording.events.map { event in
            latest = max(latest, event.moment.now)
            return latest
        }
        moments = recording.events.map(\.moment)
        start = recording.header.startedAt
        let last = recording.events.last?.moment ?? start
        let end = recording.end?.endedAt ?? last
        self.end = end.now >= latest ? end : Moment(now: latest, wall: last.wallTime(at: latest))
        position = start.now
        applied = count(at: position)
    }

    /// The time in the recording: what both clocks of the recorded run showed.
    package var moment: Moment {
        if isAtEnd { return end }
        let last = applied == 0 ? start : moments[applied - 1]
        return Moment(now: position, wall: last.wallTime(at: position))
    }

    /// Seconds since the recording began.
    package var elapsed: Double { position.seconds(since: start.now) }

    /// The length of the recording, in seconds.
    package var duration: Double { end.now.seconds(since: start.now) }

    /// Whether there is nothing left to play.
    package var isAtEnd: Bool { position >= end.now }

    /// Moves on to where the playback is at `now`.
    package mutating func advance(to now: Instant) {
        defer { movedAt = now }
        guard isPlaying, let movedAt else { return }
        move(to: position.advanced(bySeconds: now.seconds(since: movedAt) * speed))
        if isAtEnd { isPlaying = false }
    }

    /// Performs what the user asks for at `now`.
    package mutating func perform(_ control: PlaybackControl, at now: Instant) {
        advance(to: now)
        switch control {
        case .toggle:
            // From the end, it plays again.
            if isAtEnd, !isPlaying { move(to: start.now) }
            isPlaying.toggle()
        case .step(let count):
            isPlaying = false
            step(by: count)
        case .seek(let seconds): move(to: position.advanced(bySeconds: seconds))
        case .toStart: move(to: start.now)
        case .toEnd: move(to: end.now)
        case .faster: changeSpeed(by: 1)
        case .slower: changeSpeed(by: -1)
        }
    }

    /// When `applied` or the end is next reached while it plays, on the caller's clock.
    package func nextChange(after now: Instant) -> Instant? {
        guard isPlaying else { return nil }
        let next = applied < instants.count ? instants[applied] : end.now
        return now.advanced(bySeconds: max(0, next.seconds(since: position)) / speed)
    }

    private mutating func step(by count: Int) {
        guard !instants.isEmpty else { return }
        if count > 0 {
            move(to: applied < instants.count ? instants[applied] : end.now)
        } else {
            // Events of the same instant are one step.
            move(to: instants.last { $0 < position } ?? start.now)
        }
    }

    private mutating func changeSpeed(by count: Int) {
        let place = Self.speeds.firstIndex(of: speed) ?? 2
        speed = Self.speeds[min(max(place + count, 0), Self.speeds.count - 1)]
    }

    private mutating func move(to instant: Instant) {
        position = min(max(instant, start.now), end.now)
        applied = count(at: position)
    }

    /// Returns the number of events up to an instant, by bisection.
    private func count(at instant: Instant) -> Int {
        var low = 0
        var high = instants.count
        while low < high {
            let middle = (low + high) / 2
            if instants[middle] <= instant { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
