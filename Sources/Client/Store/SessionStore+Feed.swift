import Basics
import Model
import Profiles

/// A feed socket between its dial and its end.
struct FeedSlot: Sendable {
    var connection: (any FeedConnection)?
    /// The close code, if the machine gave the socket up before it was open.
    var closeCode: Int?
}

extension SessionStore {
    /// The time that the server may take to close.
    static let leaveLimit = Duration.milliseconds(2500)

    /// The time that an answer with tokens may take then: without it, they are lost, and a backend
    /// that replaces refresh tokens signs the user out.
    package static let lastAnswerLimit = Duration.seconds(5)

    /// Ends what has begun, and begins no further login or renewal.
    ///
    /// Waits until those that were sent are answered and stored, at most for `lastAnswerLimit`, and
    /// closes the feed with the closing handshake, so that everything the server sent before is
    /// processed; without an answer to wait for, gives up after `leaveLimit`.
    package func leave() async {
        isLeaving = true
        step(.feed(.leave))
        guard !isFinished, !hasLeft else { return }
        let time = environment.time
        let limit = time.now + (awaitsTokens ? Self.lastAnswerLimit : Self.leaveLimit)
        await withTaskGroup { group in
            group.addTask { _ = try? await time.sleep(until: limit) }
            group.addTask { await self.waitUntilLeft() }
            await group.next()
            group.cancelAll()
            resumeLeavers(evenIfInFlight: true)
        }
    }

    /// Whether a login or a renewal has been sent and not been answered, or not been stored.
    package var awaitsTokens: Bool { flightRequestsLeft > 0 || vaultWorkLeft > 0 }

    private var hasLeft: Bool { sockets.isEmpty && !awaitsTokens }

    private func waitUntilLeft() async {
        await withCheckedContinuation { continuation in
            guard !hasLeft else { return continuation.resume() }
            leavers.append(continuation)
        }
    }

    func resumeLeavers(evenIfInFlight isForced: Bool = false) {
        guard isForced || hasLeft else { return }
        for leaver in leavers { leaver.resume() }
        leavers = []
    }

    func perform(_ operation: FeedOperation) async {
        switch operation {
        case .dial(let socket, let generation, let since):
            await dial(socket, generation: generation, since: since)
        case .close(let socket, let code):
            guard let connection = sockets[socket]?.connection else {
                sockets[socket]?.closeCode = code
                return
            }
            await connection.close(code: code, reason: "")
        case .cut(let socket): await sockets[socket]?.connection?.cut()
        case .ping(let socket): await sockets[socket]?.connection?.ping()
        case .say(let socket, let sayings, let generation):
            await say(sayings, on: socket, generation: generation)
        }
    }

    private func say(_ sayings: [FeedSaying], on socket: Int, generation: Int) async {
        guard let held = machine.held, let connection = sockets[socket]?.connection else { return }
        let token = held.generation == generation ? held.tokens.access : nil
        if let token { registerSecrets { $0.register(token.secret, at: $1) } }
        for saying in sayings {
            let text = dialect.feedText(saying, token: token, captured: held.tokens.captures)
            if let text { await connection.send(text: text) }
        }
    }

    private func dial(_ socket: Int, generation: Int, since: String?) async {
        guard let held = machine.held, held.generation == generation,
            machine.isTokenUsable(at: environment.time.now),
            let request = dialect.feedRequest(
                held.tokens.access,
                since: since,
                captured: held.tokens.captures,
                hiding: secrets
            )
        else {
            return step(.feed(.failed(socket: socket, why: .tokenReplaced)))
        }
        if let problem = request.problem {
            return step(.feed(.failed(socket: socket, why: FeedCause(problem))))
        }
        registerSecrets { $0.register(held.tokens.access.secret, at: $1) }
        sockets[socket] = FeedSlot()
        let name = environment.fingerprinter.fingerprint(of: held.tokens.access).description
        let target = request.shownTarget.replacing(bytes: "{token}", with: name)
        step(.feed(.dialStarted(socket: socket, target: target)))
        let deadline = environment.time.now.advanced(bySeconds: FeedPolicy.dialLimit)
        let key = held.tokens.captures.proofKey
        let outcome = await dial(request, provingWith: key, deadline: deadline)
        defer {
            sockets[socket] = nil
            resumeLeavers()
        }
        switch outcome {
        case .failed(let detail):
            step(.feed(.failed(socket: socket, why: .unreachable(detail: detail))))
        case .refused(let response):
            let evidence = ResponseEvidence(
                response,
                decidedBy: dialect.feedRefusalRule(response),
                hiding: secrets.adding(dialect.tokens(in: response)),
                by: dialect.recognition.secrets
            )
            let refusal = FeedRefused(
                socket: socket,
                status: response.status,
                evidence: evidence,
                serverWords: dialect.serverWords(in: response, hiding: secrets)
            )
            let wall = environment.time.wall
            let wait = machine.server.seconds(until: response.retryAfter, from: wall)
            step(.feed(.refused(refusal, retryAfter: wait)))
        case .opened(let connection):
            for secret in connection.secrets { registerSecrets { $0.register(secret, at: $1) } }
            if let code = sockets[socket]?.closeCode {
                await connection.close(code: code, reason: "")
                return step(.feed(.closed(socket: socket, code: code, by: .us, reason: "")))
            }
            sockets[socket]?.connection = connection
            step(.feed(.opened(socket: socket)))
            await read(socket, connection)
        }
    }

    private func read(_ socket: Int, _ connection: any FeedConnection) async {
        while true {
            await waitForReaders()
            let arrived = await connection.nextEvents(atMost: EventHub.batchLimit)
            let hasPong = arrived.contains(.pong)
            let traffic = hasPong ? await connection.traffic() : nil
            let secrets = secrets
            step(
                arrived.flatMap { event in
                    inputs(event, of: socket, traffic: traffic, hiding: secrets).map { .feed($0) }
                }
            )
            if case .closed = arrived.last { return }
        }
    }

    private func inputs(
        _ event: FeedConnectionEvent,
        of socket: Int,
        traffic: FeedTraffic?,
        hiding secrets: KnownSecrets
    ) -> [FeedInput] {
        // Read through the reference: a message must not cost a copy of the dialect.
        let shared = sharedDialect
        switch event {
        case .text(let frame):
            return shared.value.feedMessages(in: frame).map { text in
                let message = shared.value.readFeedMessage(text, hiding: secrets)
                return .message(socket: socket, message, key: message.key(of: text))
            }
        case .event(let id, let type, let data):
            let message = shared.value.readFeedMessage(data, hiding: secrets)
                .streamed(id: id, type: type, hiding: secrets)
            return [.message(socket: socket, message, key: message.streamKey(of: data))]
        case .keepAlive: return [.keepAlive(socket: socket)]
        case .position(let id): return [.position(socket: socket, id: FeedMessage.position(id))]
        case .reconnectionTime(let milliseconds):
            return [.reconnectionTime(socket: socket, seconds: Double(milliseconds) / 1000)]
        case .pong: return [.pong(socket: socket, traffic: traffic)]
        case .closed(let code, let by, let reason):
            let reason = shared.value.readCloseReason(reason, hiding: secrets)
            return [.closed(socket: socket, code: code, by: by, reason: reason)]
        }
    }

    /// Waits while a reader that must not lose an event is behind, so that the server waits too.
    private func waitForReaders() async {
        guard events.isFull else { return }
        heldSockets += 1
        if heldSockets == 1 { step(.feed(.held(true))) }
        await events.room()
        heldSockets -= 1
        if heldSockets == 0 { step(.feed(.held(false))) }
    }
}
