import Backend
import Basics
import Client
import Model
import Profiles

/// The backend's handling of the sockets of its feed.
extension SimulatedSystem {
    func dialArrives(_ socket: SimulatedSocket) {
        guard isAlive(socket.process, socket.incarnation), let served = scenario.feed.served else {
            return
        }
        let seconds = clock.serverSeconds(at: now)
        switch backend.access(socket.token, in: policy, at: seconds) {
        case .granted(let grant):
            let decision = decision(.dialed)
            if let status = decision.refusal {
                let retryAfter = feedRandom.happens(0.5) ? feedRandom.uniform(0.1...60) : nil
                return send(.refused(status: status, retryAfter: retryAfter), on: socket)
            }
            send(.opened, on: socket)
            if let close = decision.close { return sendClose(close.code, on: socket) }
            _ = backend.feed(socket.token, in: policy, at: seconds)
            feeds?.open(socket, for: grant, at: now)
            if let since = socket.since, socket.next > since + 1 {
                observe(.feedMayMiss, of: socket.process)
            }
            watchExpiry(of: socket)
            carryOut(self.decision(.opened), on: socket)
            sendMessages(on: socket)
            scheduleMessage(of: grant.user.id)
        case .refused:
            switch served.refusal {
            case .status(let status): send(.refused(status: status, retryAfter: nil), on: socket)
            case .close(let code):
                send(.opened, on: socket)
                sendClose(code, on: socket)
            }
        }
    }

    func messageIsDue(of user: Int) {
        feeds?.messageIsDue(of: user)
        for socket in feeds?.sockets(of: user) ?? [] { sendMessages(on: socket) }
        scheduleMessage(of: user)
    }

    private func scheduleMessage(of user: Int) {
        guard let due = feeds?.nextDue(of: user, at: now) else { return }
        queue.insert(.messageIsDue(user: user), at: due)
    }

    private func sendMessages(on socket: SimulatedSocket) {
        while let user = socket.grant?.user.id, !socket.isFrozen, let feeds,
            socket.next <= feeds.latest(of: user, at: now)
        {
            let decision = decision(.message)
            carryOut(decision, on: socket)
            guard socket.grant != nil, !socket.isFrozen else { return }
            for _ in 0..<decision.copies { send(.message(socket.next), on: socket) }
            socket.next += 1
        }
    }

    private func decision(_ moment: FeedMoment) -> FeedDecision {
        guard let served = scenario.feed.served, feedRandom.happens(served.faultRate) else {
            return FeedDecision(moment)
        }
        let candidates = served.faults.filter { $0.moments.contains(moment) }
        guard !candidates.isEmpty else { return FeedDecision(moment) }
        let fault = candidates.drawn(&feedRandom)
        observe(.failed(fault))
        log("fault \(fault.name)", by: nil)
        return FeedDecision(moment, under: [fault])
    }

    private func carryOut(_ decision: FeedDecision, on socket: SimulatedSocket) {
        if decision.isFrozen { socket.isFrozen = true }
        if let close = decision.close { serverCloses(socket, with: close.code) }
    }

    func serverCloses(_ socket: SimulatedSocket, with code: UInt16) {
        guard socket.grant != nil else { return }
        feeds?.remove(socket)
        guard !socket.isFrozen else { return }
        sendClose(code, on: socket)
    }

    private func sendClose(_ code: UInt16, on socket: SimulatedSocket) {
        send(.closed(code: Int(code), by: code == 1006 ? .transport : .peer), on: socket)
    }

    func closeArrives(_ socket: SimulatedSocket) {
        guard case .closing(let code) = socket.stage else { return }
        // Without a grant the server has closed it already, and that is on its way.
        guard socket.grant != nil, !socket.isFrozen, !socket.isCut else { return }
        feeds?.remove(socket)
        send(.closed(code: code, by: .us), on: socket)
    }

    /// Closes the sockets of ended sessions.
    func closeOrphans() {
        for socket in feeds?.orphans(backend) ?? [] { serverCloses(socket, with: 4401) }
    }

    func watchExpiry(of socket: SimulatedSocket) {
        guard let served = scenario.feed.served, let grant = socket.grant,
            served.expiryCode != nil || served.faultRate > 0
        else { return }
        queue.insert(
            .socketExpires(socket, generation: grant.generation),
            at: max(now, clock.instant(atServerSeconds: grant.expiresAt))
        )
    }

    func socketExpires(_ socket: SimulatedSocket, _ generation: Int) {
        guard socket.grant?.generation == generation, !socket.isFrozen else { return }
        if let close = decision(.expired).close { return serverCloses(socket, with: close.code) }
        if let code = scenario.feed.served?.expiryCode { serverCloses(socket, with: code) }
    }

    /// Closes the sockets of a process from the backend's side.
    func refuseFeed(of process: Int) {
        let sockets = processes[process].sockets.values.sorted { $0.number < $1.number }
        guard let socket = sockets.first(where: { $0.grant != nil }) else { return }
        observe(.disrupted(.feedRefused), of: process)
        let codes: [UInt16] = [4401, 4401, 1008, 3000, 4409, 1011, 1013]
        let code = codes.drawn(&feedRandom)
        log("the server closes socket \(socket.number) with \(code)", by: process)
        serverCloses(socket, with: code)
    }
}
