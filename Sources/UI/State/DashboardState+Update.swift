import Basics
import Model
import Profiles

extension DashboardState {
    /// Takes a message in.
    ///
    /// - Returns: The commands to be performed, in this order.
    package mutating func update(_ message: DashboardMessage) -> [DashboardCommand] {
        switch message {
        case .key(let key):
            // A terminal that sends keys is in the foreground.
            return (isInBackground ? setInBackground(false) : []) + press(key)
        case .pasted(let text): paste(text)
        case .mouse(let event): return handle(event)
        case .event(let event): return update(.events([event]))
        case .events(let events):
            var commands: [DashboardCommand] = []
            // Many sessions are forgotten together.
            var forgotten: Set<SessionID> = []
            for event in events {
                if type(of: event.kind).forgetsSession {
                    forgotten.insert(event.session)
                } else if !forgotten.isEmpty {
                    forget(forgotten)
                    forgotten = []
                }
                commands += handle(event)
            }
            if !forgotten.isEmpty { forget(forgotten) }
            updateGlances(of: Set(events.map(\.session)))
            return commands
        case .resized(let columns, let rows):
            self.columns = columns
            self.rows = rows
            keepFaultInSight()
        case .resumed(let seconds):
            configuration.utcOffsetSeconds = seconds
            return sessions.map { .perform(.checkClocks, on: $0.id) }
        case .playback(let playback): self.playback = playback
        case .rewound: forgetEvents()
        case .configured(let new): return adopt(new)
        case .notice(let text, let isWarning):
            notice = Notice(text, isWarning: isWarning)
        case .knownFaults(let result, let id): handle(result, of: id)
        case .clock(let moment): return updateClock(moment) + faultsAgain(at: moment.now)
        case .background(let isNow): return setInBackground(isNow)
        case .ground(let ground): return adapt(to: ground)
        case .notification(let notification): return announce(notification)
        case .lockRequested: return lock == nil ? [.lock] : []
        case .locked(let opener): if lock == nil { lock = ScreenLock(opener: opener) }
        case .unlocked:
            lock = nil
            lastKeyAt = lastMoment?.now
        case .unlockRefused(let problem): refuseUnlock(problem)
        }
        return []
    }

    private mutating func handle(_ event: SessionEvent) -> [DashboardCommand] {
        if !type(of: event.kind).forgetsSession, !book.contains(event.session) {
            sessions.append(DashboardSession(id: event.session))
        }
        book.apply(event)
        followObserved(event)
        confirmPause(event)
        followAuthorization(event)
        lastMoment = event.moment
        if var notice = Notice(event, keys: configuration.keys),
            !(self.notice?.outlasts(notice) ?? false)
        {
            if !isObserved, hasSeveralSessions {
                notice.message = "\(event.session): \(notice.message)"
            }
            self.notice = notice
        }
        return configuration.ringsAtEnd && event.endsSession ? [.ring] : []
    }

    private mutating func press(_ key: Key) -> [DashboardCommand] {
        notice = nil
        lastKeyAt = lastMoment?.now ?? lastKeyAt
        guard let command = configuration.keys.command(for: key, in: mode) else {
            write(key)
            return []
        }
        return perform(command)
    }

    /// Carries a command out, or says why that is not possible.
    mutating func perform(_ command: KeyCommand) -> [DashboardCommand] {
        if playback != nil, command.scope != .screen {
            notice = Notice("this is a recording: nothing is sent or changed")
            return []
        }
        if let obstacle = command.obstacle(in: keyContext) {
            notice = Notice(obstacle, isWarning: command.warns)
            return []
        }
        return command.effect.run(&self)
    }

    private var keyContext: KeyContext {
        KeyContext(
            session: session,
            isReadOnly: configuration.isReadOnly,
            isObserved: isObserved,
            now: lastMoment?.now,
            keys: configuration.keys
        )
    }

    /// The key that opens an overlay closes it too.
    mutating func toggle(_ overlay: Overlay) {
        self.overlay = self.overlay?.content == overlay ? nil : OpenOverlay(overlay)
    }

    /// Takes over an edited configuration; a theme that the user has chosen since stays if the file
    /// names none other than before.
    private mutating func adopt(_ new: DashboardConfiguration) -> [DashboardCommand] {
        let old = configuration
        var new = new
        // What the terminal has stated of its ground goes on.
        if old.followsGround, new.followsGround {
            new.theme = new.theme.adapted(to: old.theme.ground, among: new.themes)
        }
        configuration = new
        guard new.theme != old.theme, new.hasColor else { return [] }
        theme = new.theme
        return [.redraw]
    }

    /// Whether the theme depends on the terminal's ground.
    package var followsGround: Bool { configuration.followsGround && configuration.hasColor }

    /// Shows the theme for a ground, unless the user has named or chosen one.
    private mutating func adapt(to ground: Theme.Ground) -> [DashboardCommand] {
        guard followsGround, theme == configuration.theme else { return [] }
        configuration.theme = theme.adapted(to: ground, among: configuration.themes)
        guard theme != configuration.theme else { return [] }
        theme = configuration.theme
        return [.redraw]
    }

    mutating func nextTheme() -> [DashboardCommand] {
        guard configuration.hasColor else {
            notice = Notice("colors are off: NO_COLOR or --no-color is set")
            return []
        }
        let themes = configuration.themes
        guard let place = themes.firstIndex(where: { $0.name == theme.name }) else { return [] }
        theme = themes[(place + 1) % themes.count]
        notice = Notice("theme: \(theme.name)", isWarning: false)
        return [.redraw]
    }
}

extension SessionEvent {
    /// Whether the session ended without the user's doing.
    fileprivate var endsSession: Bool {
        guard let ended = kind as? SignedOut else { return false }
        return ended.reason != .user && ended.reason != .everywhere
    }
}
