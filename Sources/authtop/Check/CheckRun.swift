import Basics
import Client
import FoundationEssentials
import Model
import Observer
import Platform
import Profiles

/// One check of a backend, over its real transport.
struct CheckRun {
    /// The time for which an answer is awaited, in seconds.
    private static let timeout = 15.0

    let chosen: ChosenProfile
    /// The profile's, with the sandbox's feed if the backend is the sandbox.
    let dialect: Dialect
    let credentials: [String: Secret]
    let options: CheckOptions
    /// The command that logs in, if it is not the profile.
    var login: CheckLogin?
    /// What its requests prove, if the profile's tokens are bound to a key.
    var proofs: CheckProofs?
    let environment: LiveEnvironment
    /// Whether signals end the program here, and not where the screen is.
    var watchesSignals = true
    /// Stops the check as soon as it has an element: its sessions are still logged out.
    var stops: AsyncStream<Void>?

    /// The machine before it begins.
    var machine: CheckMachine {
        CheckMachine(dialect: dialect, credentials: credentials, options: options)
    }

    private enum Input: Sendable {
        case check(CheckInput)
        case loggedIn(id: Int, Result<CheckedLogin, CommandFailure>, sentAt: Moment, Moment)
        case interrupted(signal: Int32)
        case stopped
    }

    /// Runs the check; `onProgress` is called after each answer.
    ///
    /// - Throws: If the trust roots cannot be used, or `login` brings nothing.
    func report(onProgress: (CheckMachine, Moment) -> Void) async throws -> CheckReport {
        try await withNetwork(chosen.network) { network in
            try await follow(
                network.tokenTransport(to: chosen.origins),
                try network.feedTransport(to: chosen.origins),
                onProgress
            )
        }
    }

    private func follow(
        _ transport: HTTPTokenTransport,
        _ feed: any FeedTransport,
        _ onProgress: (CheckMachine, Moment) -> Void
    ) async throws -> CheckReport {
        let time = environment.time
        let signals = watchesSignals ? SignalWatch() : nil
        let (inputs, input) = AsyncStream.makeStream(of: Input.self)
        var machine = machine
        var problem: CommandFailure?
        var interruption: Int32?
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                guard let signals else { return }
                for await signal in signals.signals { input.yield(.interrupted(signal: signal)) }
            }
            group.addTask { [stops] in
                guard let stops else { return }
                for await _ in stops { input.yield(.stopped) }
            }
            @Sendable func logIn(
                _ id: Int,
                after earlier: CommandFailure? = nil
            ) async -> CommandFailure? {
                let sentAt = time.moment
                var failure = earlier
                var tokens: CheckedLogin?
                if failure == nil {
                    do throws(CommandFailure) {
                        tokens = try await login?.tokens()
                    } catch {
                        failure = error
                    }
                }
                let result: Result<CheckedLogin, CommandFailure>? =
                    failure.map { .failure($0) } ?? tokens.map { .success($0) }
                guard let result else { return nil }
                let endedAt = time.moment
                // What a user takes is before the request for the tokens.
                let began = login?.needsUser == true ? endedAt : sentAt
                input.yield(.loggedIn(id: id, result, sentAt: began, endedAt))
                return failure
            }
            let (userLogins, userLogin) = AsyncStream.makeStream(of: Int.self)
            group.addTask {
                // A user who has not logged in is not asked again.
                var failure: CommandFailure?
                for await id in userLogins { failure = await logIn(id, after: failure) }
            }
            var timers: Set<Instant> = []
            var sockets: [Int: AsyncStream<Void>.Continuation] = [:]
            func perform(_ effects: [CheckEffect], _ group: inout TaskGroup<Void>) {
                for effect in effects {
                    switch effect {
                    case .send(let request):
                        group.addTask {
                            input.yield(.check(await send(request, by: transport)))
                        }
                    case .logIn(let id):
                        if login?.needsUser == true {
                            userLogin.yield(id)
                        } else {
                            group.addTask { _ = await logIn(id) }
                        }
                    case .dial(let dial):
                        let (orders, order) = AsyncStream.makeStream(of: Void.self)
                        sockets[dial.id] = order
                        let socket = CheckSocket(
                            dial: dial,
                            transport: feed,
                            proofs: proofs,
                            time: time,
                            orders: orders
                        )
                        group.addTask {
                            await socket.follow(timeout: Self.timeout) { input.yield(.check($0)) }
                        }
                    case .close(let socket): sockets.removeValue(forKey: socket)?.finish()
                    case .wake(let instant):
                        // An earlier timer asks again for the time after it.
                        guard timers.allSatisfy({ $0 > instant }) else { continue }
                        timers.insert(instant)
                        group.addTask {
                            guard (try? await time.sleep(until: instant)) != nil else { return }
                            input.yield(.check(.woken))
                        }
                    }
                }
            }
            func stop(_ group: inout TaskGroup<Void>) {
                let moment = time.moment
                perform(machine.stop(at: moment), &group)
                onProgress(machine, moment)
            }
            func handle(_ check: CheckInput, _ group: inout TaskGroup<Void>) {
                let moment = time.moment
                timers = timers.filter { $0 > moment.now }
                perform(machine.handle(check, at: moment), &group)
                onProgress(machine, moment)
            }
            perform(machine.begin(at: time.moment), &group)
            var next = inputs.makeAsyncIterator()
            while !machine.isOver, let input = await next.next() {
                switch input {
                case .interrupted(let signal):
                    guard interruption == nil else { ProgramExit.leave(128 + signal) }
                    interruption = signal
                    StandardError.write(
                        "logging out the sessions of the check; again to leave them"
                    )
                    stop(&group)
                case .stopped: stop(&group)
                case .check(let check): handle(check, &group)
                case .loggedIn(let id, let tokens, let sentAt, let endedAt):
                    if case .failure(let failure) = tokens { problem = problem ?? failure }
                    let issued = try? tokens.get()
                    handle(
                        .loggedIn(
                            id: id,
                            issued?.tokens,
                            scope: issued?.scope,
                            sentAt: sentAt,
                            endedAt: endedAt
                        ),
                        &group
                    )
                }
            }
            group.cancelAll()
        }
        if let interruption { ProgramExit.leave(128 + interruption) }
        let report = machine.report
        if let problem {
            guard report.failure == nil else { throw problem }
            // The report says only that there was no login.
            StandardError.write("authtop: \(problem.message)")
        }
        return report
    }

    private func send(
        _ request: CheckRequest,
        by transport: HTTPTokenTransport
    ) async -> CheckInput {
        let deadline = environment.time.now.advanced(bySeconds: Self.timeout)
        func sendOnce(_ wire: WireRequest) async -> TransportReport {
            switch request.connection {
            case .own: await transport.send(wire, connection: .own, deadline: deadline)
            case .warm: await transport.send(wire, connection: .shared, deadline: deadline)
            case .abandoned: await transport.sendUnread(wire, deadline: deadline)
            }
        }
        let report =
            if let proofs {
                await proofs.send(
                    request,
                    isRefresh: isRefresh(request.request),
                    by: sendOnce
                )
            } else {
                await sendOnce(request.request)
            }
        return .answered(
            id: request.id,
            report.outcome,
            sentAt: request.connection == .warm ? report.writtenAt : report.sentAt,
            endedAt: report.endedAt
        )
    }

    private func isRefresh(_ request: WireRequest) -> Bool {
        if case .refresh? = dialect.recognize(request) { return true }
        return false
    }
}

extension TransportReport {
    /// When the request was written, if it was answered; else when it was handed to the network.
    fileprivate var writtenAt: Moment {
        guard let firstByte = timing.firstByte, let body = timing.body else { return sentAt }
        let waited = firstByte + body
        return Moment(
            now: endedAt.now.advanced(bySeconds: -waited),
            wall: endedAt.wall.addingTimeInterval(-waited)
        )
    }
}
