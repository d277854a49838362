import Lifecycle
import Recordings
import Timekeeping

/// The two rows at the top: the user and the backend, then the state of the session.
enum HeaderLine {
    static func identity(_ scene: Scene, columns: Int) -> Line {
        let session = scene.session
        let clock = Line("\(scene.clock.formatter.time(scene.clock.shown.wall)) ", .header)
        let program = scene.playback.map(replay) ?? Line(" authtop  ", .dim)
        let profile = Line(session.profile, .header)
        let user = user(session)
        let url = Line(session.capabilities?.baseURL ?? "", .plain)
        let dot = Line(" · ", .dim)
        let room = columns - clock.width - 1
        let (faults, count) = faults(scene)
        let readOnly = scene.isReadOnly ? Line("read-only", .busy) : Line()
        let shift = Line(ClockShiftText.mark(session.clockShift) ?? "", .warning)
        let ways = [
            program + [profile, user, url, readOnly, shift, faults].joined(by: dot),
            program + [profile, url, readOnly, shift, faults].joined(by: dot),
            program + [profile, readOnly, shift, faults].joined(by: dot),
            program + [profile, url, readOnly, shift, count].joined(by: dot),
            program + [profile, readOnly, shift, count].joined(by: dot),
        ]
        return Line.spread(Line.first(of: ways, fitting: room), clock, over: columns)
    }

    /// `replay 2× 01:23/05:00`.
    private static func replay(_ playback: Playback) -> Line {
        let speed =
            playback.isPlaying
            ? "\(DurationFormatter.number(playback.speed))×"
            : playback.isAtEnd ? "over" : "held"
        let elapsed = DurationFormatter.compact(playback.elapsed)
        let duration = DurationFormatter.compact(playback.duration)
        return Line(" replay ", .dim) + Line("\(speed) \(elapsed)/\(duration)", .busy) + Line("  ")
    }

    static func state(_ scene: Scene, columns: Int) -> Line {
        let phrase = StateSummary(of: scene)
        let problems = ProblemText.lines(scene)
        let right = right(scene, problems)
        for (right, way) in pairs(right, phrase.ways, hasProblem: !problems.isEmpty)
        where way.width <= columns - right.width - 2 {
            return Line.spread(way, right, over: columns)
        }
        return Line.first(of: phrase.ways, fitting: columns)
    }

    /// What can stand at the right and at the left together, the best first.
    ///
    /// The generation gives way before the state's own parts do. Of a trouble only its cause does;
    /// the trouble itself is left when at most a number of them would be.
    private static func pairs(
        _ right: [Line],
        _ ways: [Line],
        hasProblem: Bool
    ) -> [(right: Line, way: Line)] {
        guard hasProblem else {
            return ways.flatMap { way in right.map { (right: $0, way: way) } }
        }
        let whole = right.dropLast().flatMap { right in
            ways.prefix(2).map { (right: right, way: $0) }
        }
        let cut = right.dropFirst().flatMap { right in ways.map { (right: right, way: $0) } }
        return whole + cut
    }

    /// What stands at the right, the longest first: the worst trouble, or the generation.
    private static func right(_ scene: Scene, _ problems: [Line]) -> [Line] {
        guard let worst = problems.first else {
            let generation = scene.session.current.map {
                scene.generations.number($0.generation, login: $0.login)
            }
            return generation.map { [Line("generation \($0) ", .identity), Line()] } ?? [Line()]
        }
        let more = Line(problems.count > 1 ? "  +\(problems.count - 1) " : " ", .warning)
        let count = Line("⚠ \(problems.count) ", .warning)
        return [worst + more, worst.withoutCause + more, count]
    }

    /// `faults: delay, server-error:p=0.2`, and in fewer words.
    private static func faults(_ scene: Scene) -> (all: Line, count: Line) {
        guard !scene.faults.isEmpty else { return (Line(), Line()) }
        let list = scene.faults.joined(separator: ", ")
        let count = CountFormatter.count(scene.faults.count, "fault")
        return (Line("faults: \(list)", .warning), Line("with \(count)", .warning))
    }

    /// `user@example.com (123)`.
    private static func user(_ session: SessionSnapshot) -> Line {
        guard let pair = session.generations.last?.pair else { return Line() }
        let subject = pair.subject.map { pair.displayName == nil ? $0 : " (\($0))" } ?? ""
        return Line(pair.displayName ?? "") + Line(subject, pair.displayName == nil ? .plain : .dim)
    }
}

extension Line {
    /// A trouble in its own words: whatever the system says of its cause stands behind a colon, and
    /// may be long.
    fileprivate var withoutCause: Line {
        guard let run = runs.first, let colon = run.text.firstIndex(of: ":") else { return self }
        return Line(String(run.text[..<colon]), run.style)
    }
}
