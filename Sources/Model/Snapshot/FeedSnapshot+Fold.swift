import Basics

extension FeedSnapshot {
    mutating func apply(_ event: FeedEvent, at moment: Moment) {
        let line = FeedLine.Kind(event)
        switch event {
        case .dialing(let socket, _, let target): noteDial(of: socket, to: target)
        case .opened:
            openings += 1
            heardAt = moment
        case .switched(let from, let to, _, _, _):
            counts.add(event)
            retired = from
            if let line { noteSwitch(line, to: to, at: moment) }
            return
        case .closed(let socket, _, let by, _):
            // The end of every switch, and no news, whether or not the server answered our close.
            if socket == retired, by == .us { return }
        case .message:
            heardAt = moment
            counts.add(event)
            arrivals.note(at: moment.now)
        case .missing: counts.add(event)
        case .control: heardAt = moment
        case .ping(_, let roundTrip, _):
            lastPing = roundTrip
            heardAt = moment
        case .stateChanged(let state): self.state = state
        case .receivesAfterLogout(let socket): leakingSocket = socket
        case .refused(let socket, _, let refusal):
            if let refusal { evidence.insert(refusal, numbered: socket, isSuccess: false) }
        case .failed: break
        }
        if let line { note(line, at: moment) }
    }
}

extension FeedLine.Kind {
    /// Creates the line about an event, or `nil` if the log has none.
    package init?(_ event: FeedEvent) {
        switch event {
        case .opened(let socket, let generation, let after):
            self = .opened(socket: socket, generation: generation, after: after)
        case .switched(let from, let to, let duplicates, let gap, let after):
            self = .switched(from: from, to: to, duplicates: duplicates, gap: gap, after: after)
        case .closed(let socket, let code, let by, let reason):
            self = .closed(socket: socket, code: code, by: by, reason: reason)
        case .refused(let socket, let status, _): self = .refused(socket: socket, status: status)
        case .failed(let socket, let why): self = .failed(socket: socket, why: why)
        case .message(let socket, let id, let seq, let type, let excerpt, let isDuplicate):
            self = .message(
                FeedLineMessage(
                    socket: socket,
                    id: id,
                    seq: seq,
                    type: type,
                    excerpt: excerpt,
                    isDuplicate: isDuplicate
                )
            )
        case .missing(let socket, let after, let before):
            self = .missing(socket: socket, after: after, before: before)
        case .control(let socket, let type, let excerpt):
            self = .control(socket: socket, type: type, excerpt: excerpt)
        case .stateChanged(.stopped(let why)): self = .stopped(why: why)
        case .receivesAfterLogout(let socket): self = .leaking(socket: socket)
        case .dialing, .ping, .stateChanged: return nil
        }
    }
}
