import Basics
import Model
import Profiles

extension DashboardState {
    /// Takes a message in.
    ///
    /// - Returns: What is to be done about it, in this order.
    package mutating func update(_ message: DashboardMessage) -> [DashboardCommand] {
        switch message {
        case .key(let key):
            // A terminal that sends keys is in the foreground.
            return (isInBackground ? setInBackground(false) : []) + press(key)
        case .pasted(let text): paste(text)
        case .mouse(let event): take(event)
        case .event(let event): return update(.events([event]))
        case .events(let events):
            let commands = events.flatMap { take($0) }
            noteConcerns(of: Set(events.map(\.session)))
            return commands
        case .resized(let columns, let rows):
            self.columns = columns
            self.rows = rows
        case .utcOffset(let seconds):
            configuration.utcOffsetSeconds = seconds
        case .playback(let playback): self.playback = playback
        case .notice(let text, let isWarning):
            notice = Notice(text, isWarning: isWarning)
        case .knownFaults(let result, let id): take(result, of: id)
        case .clock(let moment): return note(moment) + faultsAgain(at: moment.now)
        case .background(let isNow): return setInBackground(isNow)
        case .lockRequested: return lock == nil ? [.lock] : []
        case .locked(let opener): if lock == nil { lock = ScreenLock(opener: opener) }
        case .unlocked:
            lock = nil
            lastKeyAt = lastMoment?.now
        case .unlockRefused(let problem): refuseUnlock(problem)
        }
        return []
    }

    private mutating func take(_ event: SessionEvent) -> [DashboardCommand] {
        if case .observed(.forgotten) = event.kind {
            forget(event.session)
        } else if !book.contains(event.session) {
            sessions.append(DashboardSession(id: event.session))
        }
        book.apply(event)
        followObserved(event)
        confirmPause(event)
        followAuthorization(event)
        lastMoment = event.moment
        if var notice = EventNotice.notice(event) {
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
        guard let action = configuration.keys.action(for: key, in: mode) else {
            write(key)
            return []
        }
        if playback != nil, action.isForSession {
            notice = Notice("this is a recording: nothing is sent or changed")
            return []
        }
        let obstacle = ActionAvailability.text(
            action,
            session,
            isReadOnly: configuration.isReadOnly,
            isObserved: isObserved,
            at: lastMoment?.now
        )
        if let obstacle {
            // That nothing need be done is no warning.
            notice = Notice(obstacle, isWarning: action != .tryVault)
            return []
        }
        return perform(action)
    }

    private mutating func perform(_ action: Action) -> [DashboardCommand] {
        switch action {
        case .renew: return command(.renewNow)
        case .logIn: return logIn()
        case .cancelLogIn: return cancelLogIn()
        case .copyURL: return copyURL()
        case .logOut:
            guard !isOnSandbox else { return command(.logOut(.this)) }
            overlay = OpenOverlay(.question(.logOut))
        case .send: return command(.send(.request))
        case .cyclePause: return cyclePause()
        case .compose: composeRequest()
        case .olderRequest: recallRequest(-1)
        case .newerRequest: recallRequest(1)
        case .lock: return [.lock]
        case .unlock: return tryToUnlock()
        case .tryVault: return command(.tryVault)
        case .logOutEverywhere: overlay = OpenOverlay(.question(.logOutEverywhere))
        case .confirm: return confirm()
        case .decline: decline()
        case .sessions: return openSessions()
        case .endSelected: askToEnd()
        case .introspect:
            overlay = OpenOverlay(.introspections(asked: session.current?.pair.access.fingerprint))
            return command(.introspect)
        case .experiments: openExperiments()
        case .runExperiment: return runSelectedExperiment()
        case .repeatExperiment: return repeatExperiment()
        case .shiftClock(let step): return shiftClock(step)
        case .faults: return openFaults()
        case .faultOnce: return changeSelectedFault { .once($0.name) }
        case .toggleFault: return changeSelectedFault { $0.isOff ? .on($0.name) : .off($0.name) }
        case .allFaultsOff: return ask(.allOff)
        case .playback(let control): return [.playback(control)]
        case .redraw: return [.redraw]
        case .suspend: return [.suspend]
        case .quitNow: return [.quit]
        case .quit: return [.quit]
        case .back: back()
        case .theme: return nextTheme()
        case .help: toggle(.help)
        case .statistics: toggle(.statistics)
        case .familyTree: toggle(.familyTree)
        case .newestFinding: selectNewestFinding()
        case .listAllSessions:
            listsAllSessions.toggle()
            focus = RequestsPane.id
        case .focus(let pane): focus = pane
        case .zoom: zoom()
        case .nextPane: focus = neighbour(by: 1)
        case .previousPane: focus = neighbour(by: -1)
        case .nextSession: select(by: 1, at: lastMoment)
        case .previousSession: select(by: -1, at: lastMoment)
        case .detail: openDetail()
        case .move(let move): self.move(move)
        case .lifeline(let move): moveLifeline(move)
        case .toggleFollow: toggleFollow()
        case .filter: openPrompt()
        case .copy: return copySelected()
        case .writeRecording: return [.writeRecording]
        case .writeProfile: return [.writeProfile]
        case .nextMatch: moveToMatch(older: true)
        case .previousMatch: moveToMatch(older: false)
        case .keepFilter: keepFilter()
        case .clearFilter: clearFilter()
        case .erase: edit(.erase)
        case .eraseAll: edit(.eraseAll)
        case .nextField: edit(.move(1))
        case .previousField: edit(.move(-1))
        case .acceptField: return acceptField()
        }
        return []
    }

    /// The key that opens an overlay closes it too.
    private mutating func toggle(_ overlay: Overlay) {
        self.overlay = self.overlay?.content == overlay ? nil : OpenOverlay(overlay)
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

extension SessionEvent {
    /// Whether the session ended without the user's doing.
    fileprivate var endsSession: Bool {
        switch kind {
        case .signedOut(.user), .signedOut(.everywhere): false
        case .signedOut: true
        default: false
        }
    }
}
