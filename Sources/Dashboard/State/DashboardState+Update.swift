import Dialects
import Lifecycle
import Timekeeping

extension DashboardState {
    /// Takes a message in.
    ///
    /// - Returns: What is to be done about it, in this order.
    package mutating func update(_ message: DashboardMessage) -> [DashboardCommand] {
        switch message {
        case .key(let key):
            return press(key)
        case .event(let event):
            take(event)
        case .events(let events):
            for event in events { take(event) }
        case .resized(let columns, let rows):
            self.columns = columns
            self.rows = rows
        case .utcOffset(let seconds):
            configuration.utcOffsetSeconds = seconds
        case .notice(let words):
            notice = Notice(words, isWarning: false)
        }
        return []
    }

    private mutating func take(_ event: SessionEvent) {
        session.apply(event)
        lastMoment = event.moment
        if let notice = EventNotice.notice(event) { self.notice = notice }
    }

    private mutating func press(_ key: Key) -> [DashboardCommand] {
        notice = nil
        guard let act = KeyTable.act(for: key, in: mode) else {
            write(key)
            return []
        }
        if let obstacle = ActObstacle.words(act, session, at: lastMoment?.now) {
            notice = Notice(obstacle)
            return []
        }
        return perform(act)
    }

    private mutating func perform(_ act: Act) -> [DashboardCommand] {
        switch act {
        case .renew: return [.renewNow]
        case .logIn: return logIn()
        case .logOut: return [.logOut(.this)]
        case .send: return [.sendRequest]
        case .togglePause: return [.setPaused(!session.flags.isPaused)]
        case .tryVault: return [.tryVault]
        case .logOutEverywhere: box = OpenBox(.question(.logOutEverywhere))
        case .confirm: return confirm()
        case .decline: decline()
        case .sessions: return openSessions()
        case .endSelected: askToEnd()
        case .redraw: return [.redraw]
        case .suspend: return [.suspend]
        case .quitNow: return [.quit]
        case .quit: return [.quit]
        case .back: back()
        case .theme: return nextTheme()
        case .help: toggle(.help)
        case .statistics: toggle(.statistics)
        case .focus(let pane): focus = pane
        case .nextPane: focus = PaneCatalogue.neighbour(of: focus, by: 1)
        case .previousPane: focus = PaneCatalogue.neighbour(of: focus, by: -1)
        case .detail: openDetail()
        case .move(let move): self.move(move)
        case .toggleFollow: toggleFollow()
        case .filter: openPrompt()
        case .keepFilter: prompt = nil
        case .clearFilter: clearFilter()
        case .erase: mode == .form ? editForm { $0.erase() } : editFilter { _ = $0.popLast() }
        case .eraseAll: mode == .form ? editForm { $0.eraseAll() } : editFilter { $0 = "" }
        case .nextField: editForm { $0.move(by: 1) }
        case .previousField: editForm { $0.move(by: -1) }
        case .acceptField: return acceptField()
        }
        return []
    }

    /// The key that opens a box closes it too.
    private mutating func toggle(_ box: Box) {
        self.box = self.box?.box == box ? nil : OpenBox(box)
    }

    private mutating func nextTheme() -> [DashboardCommand] {
        guard configuration.hasColour else {
            notice = Notice("colours are off: NO_COLOR or --no-color is set")
            return []
        }
        let names = Theme.Name.allCases
        let place = names.firstIndex(of: theme.name) ?? 0
        theme = .named(names[(place + 1) % names.count])
        notice = Notice("theme: \(theme.name.rawValue)", isWarning: false)
        return [.redraw]
    }
}
