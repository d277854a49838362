import Basics
import Model
import UI

extension DashboardState {
    /// After the whole of a story.
    init(
        _ script: EventScript,
        configuration: DashboardConfiguration = DashboardConfiguration(),
        session: DashboardSession = DashboardSession(id: EventScript.session)
    ) {
        self.init(configuration: configuration, sessions: [session])
        _ = update(.resized(columns: 120, rows: 40))
        _ = update(.events(script.events))
    }

    mutating func press(_ keys: Key...) {
        for key in keys { _ = update(.key(key)) }
    }

    mutating func type(_ text: String) {
        for character in text { _ = update(.key(.character(character))) }
    }

    mutating func screen(_ columns: Int, _ rows: Int, _ now: Moment) -> Grid {
        _ = update(.resized(columns: columns, rows: rows))
        return render(size: (columns, rows), now: now)
    }
}
