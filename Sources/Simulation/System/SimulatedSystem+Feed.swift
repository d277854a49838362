import Backend
import Basics
import Client
import Model
import Profiles

/// The store's handling of the feed's operations.
extension SimulatedSystem {
    func dispatch(_ operation: FeedOperation, of process: Int) {
        switch operation {
        case .dial(let number, let generation, let since):
            dial(number, generation, since: since, of: process)
        case .close(let number, let code): close(number, code, of: process)
        case .cut(let number): close(number, 1006, of: process)
        case .ping(let number): ping(number, of: process)
        case .say(let number, _, let generation):
            reauthenticate(number, generation, of: process)
        }
    }

    private func dial(_ number: Int, _ generation: Int, since: String?, of process: Int) {
        let incarnation = processes[process].incarnation
        func tell(_ input: FeedInput, in seconds: Double = 0) {
            schedule(
                .input(process: process, incarnation: incarnation, .feed(input)),
                in: seconds
            )
        }
        guard let view = processes[process].view, let held = view.held,
            held.generation == generation, view.isUsable(at: now)
        else {
            return tell(.failed(socket: number, why: .tokenReplaced))
        }
        observe(.dials(held.tokens.access, server), of: process)
        let socket = SimulatedSocket(
            process: process,
            incarnation: incarnation,
            number: number,
            generation: generation,
            family: held.family,
            token: held.tokens.access,
            since: since.flatMap { Int64($0) },
            dialedAt: now
        )
        processes[process].sockets[number] = socket
        tell(.dialStarted(socket: number, target: "/feed"))
        if now < outageEnd {
            let wait = feedRandom.uniform(0.001...2)
            return send(.failed(.unreachable(detail: "connection refused")), on: socket, in: wait)
        }
        schedule(.dialTimeoutElapses(socket), in: FeedPolicy.dialLimit)
        guard scenario.feed.served != nil else {
            return send(.refused(status: 404, retryAfter: nil), on: socket)
        }
        schedule(.dialArrives(socket), in: feedRandom.uniform(scenario.transit))
    }

    private func close(_ number: Int, _ code: Int, of process: Int) {
        guard let socket = processes[process].sockets[number] else { return }
        guard case .open = socket.stage else {
            if case .dialing = socket.stage { socket.givenUp = code }
            return
        }
        socket.stage = .closing(code)
        schedule(.closeTimeoutElapses(socket), in: SimulatedTimeouts.feedClose)
        guard !socket.isFrozen, now >= outageEnd else { return }
        schedule(.closeArrives(socket), in: feedRandom.uniform(scenario.transit))
    }

    private func ping(_ number: Int, of process: Int) {
        guard let socket = processes[process].sockets[number], case .open = socket.stage,
            socket.grant != nil, !socket.isFrozen
        else { return }
        send(.pong, on: socket, in: feedRandom.uniform(scenario.transit))
    }

    private func reauthenticate(_ number: Int, _ generation: Int, of process: Int) {
        guard let socket = processes[process].sockets[number], socket.grant != nil,
            !socket.isFrozen, let held = processes[process].view?.held,
            held.generation == generation
        else { return }
        let seconds = clock.serverSeconds(at: now)
        switch backend.access(held.tokens.access, in: policy, at: seconds) {
        case .granted(let grant):
            socket.grant = grant
            watchExpiry(of: socket)
        case .refused: serverCloses(socket, with: 4401)
        }
    }

    // MARK: - The way to the client

    /// Sends a frame after those in transit; without a network it waits.
    func send(
        _ frame: SimulatedSocket.Frame,
        on socket: SimulatedSocket,
        in delay: Double = 0
    ) {
        let base = max(now, outageEnd).advanced(
            bySeconds: delay + feedRandom.uniform(scenario.transit)
        )
        let arrival = max(base, socket.lastArrival)
        socket.lastArrival = arrival
        queue.insert(.frameArrives(socket, frame), at: arrival)
    }

    func frameArrives(_ socket: SimulatedSocket, _ frame: SimulatedSocket.Frame) {
        guard isAlive(socket.process, socket.incarnation), !socket.isCut,
            processes[socket.process].sockets[socket.number] === socket
        else { return }
        let number = socket.number
        switch frame {
        case .opened:
            guard socket.givenUp == nil else {
                // As in the store, a canceled dial is not reported.
                cut(socket)
                processes[socket.process].sockets[number] = nil
                return
            }
            socket.stage = .open
            deliver(.feed(.opened(socket: number)), of: socket)
        case .refused(let status, let retryAfter):
            end(
                socket,
                .refused(FeedRefused(socket: number, status: status), retryAfter: retryAfter)
            )
        case .failed(let cause): end(socket, .failed(socket: number, why: cause))
        case .message(let seq):
            let message = FeedMessage(id: nil, seq: seq, type: nil, excerpt: "")
            deliver(.feed(.message(socket: number, message, key: "seq \(seq)")), of: socket)
        case .pong: deliver(.feed(.pong(socket: number)), of: socket)
        case .closed(let code, let by):
            end(socket, .closed(socket: number, code: code, by: by, reason: ""))
        }
    }

    func dialTimeoutElapses(_ socket: SimulatedSocket) {
        guard isAlive(socket.process, socket.incarnation), case .dialing = socket.stage,
            processes[socket.process].sockets[socket.number] === socket
        else { return }
        cut(socket)
        end(
            socket,
            .failed(socket: socket.number, why: .unreachable(detail: "no answer to the upgrade"))
        )
    }

    func closeTimeoutElapses(_ socket: SimulatedSocket) {
        guard isAlive(socket.process, socket.incarnation), case .closing(let code) = socket.stage,
            processes[socket.process].sockets[socket.number] === socket
        else { return }
        cut(socket)
        end(socket, .closed(socket: socket.number, code: code, by: .us, reason: ""))
    }

    private func end(_ socket: SimulatedSocket, _ input: FeedInput) {
        processes[socket.process].sockets[socket.number] = nil
        deliver(.feed(input), of: socket)
    }

    private func deliver(_ input: SessionInput, of socket: SimulatedSocket) {
        deliver(input, to: socket.process, socket.incarnation)
    }

    /// Closes the transport, and loses the frames in transit.
    func cut(_ socket: SimulatedSocket) {
        socket.isCut = true
        feeds?.remove(socket)
    }

    // MARK: - Ends

    /// The network goes away: some sockets end at once, the others stall.
    func cutSockets() {
        guard let served = scenario.feed.served else { return }
        for process in processes {
            for socket in process.sockets.values.sorted(by: { $0.number < $1.number }) {
                guard case .open = socket.stage, feedRandom.happens(served.cuts) else { continue }
                observe(.disrupted(.socketCut), of: process.number)
                cut(socket)
                schedule(.socketIsCut(socket), in: feedRandom.uniform(0...1))
            }
        }
    }

    func socketIsCut(_ socket: SimulatedSocket) {
        guard isAlive(socket.process, socket.incarnation),
            processes[socket.process].sockets[socket.number] === socket
        else { return }
        end(socket, .closed(socket: socket.number, code: 1006, by: .transport, reason: ""))
    }

    /// Closes the sockets of a killed process.
    func cutSockets(of process: Int) {
        for socket in processes[process].sockets.values { cut(socket) }
    }
}
