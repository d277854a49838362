import Timekeeping

extension FeedSnapshot {
    mutating func apply(_ event: FeedEvent, at moment: Moment) {
        switch event {
        case .dialing(let socket, _, let target):
            noteDial(of: socket, to: target)
        case .opened(let socket, let generation, let after):
            openings += 1
            heardAt = moment
            note(.opened(socket: socket, generation: generation, after: after), at: moment)
        case .switched(let from, let to, let duplicates, let gap, let after):
            counts.add(event)
            retired = from
            noteSwitch(
                .switched(from: from, to: to, duplicates: duplicates, gap: gap, after: after),
                to: to,
                at: moment
            )
        case .closed(let socket, let code, let by, let reason):
            // The end of every switch, and no news.
            if socket == retired, code == 1000, by == .us { return }
            note(.closed(socket: socket, code: code, by: by, reason: reason), at: moment)
        case .refused(let socket, let status):
            note(.refused(socket: socket, status: status), at: moment)
        case .failed(let socket, let why):
            note(.failed(socket: socket, why: why), at: moment)
        case .message(let socket, let id, let seq, let type, let excerpt, let isDuplicate):
            heardAt = moment
            counts.add(event)
            let message = FeedLineMessage(
                socket: socket,
                id: id,
                seq: seq,
                type: type,
                excerpt: excerpt,
                isDuplicate: isDuplicate
            )
            note(.message(message), at: moment)
        case .control(let socket, let type, let excerpt):
            heardAt = moment
            note(.control(socket: socket, type: type, excerpt: excerpt), at: moment)
        case .ping(_, let roundTrip):
            lastPing = roundTrip
            heardAt = moment
        case .stateChanged(let state):
            if case .stopped(let why) = state { note(.stopped(why: why), at: moment) }
            self.state = state
        case .receivesAfterLogout(let socket):
            leakingSocket = socket
            note(.leaking(socket: socket), at: moment)
        }
    }
}
