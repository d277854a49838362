import Checks
import Dialects
import Lifecycle
import Networking
import Sessions
import Timekeeping
import Tokens

/// One check of a backend, over its real transport.
struct CheckRun {
    /// How long an answer is waited for, in seconds.
    private static let timeout = 15.0

    let chosen: ChosenProfile
    let credentials: [String: Secret]
    let options: CheckOptions
    let environment: LiveEnvironment
    /// Whether signals end the program here, and not where the screen is.
    var watchesSignals = true

    /// The machine before it begins.
    var machine: CheckMachine {
        CheckMachine(dialect: chosen.dialect, credentials: credentials, options: options)
    }

    private enum Input: Sendable {
        case check(CheckInput)
        case interrupted(signal: Int32)
    }

    /// Runs the check; `onProgress` is called after each answer.
    func report(onProgress: (CheckMachine, Moment) -> Void) async -> CheckReport {
        await withNetwork(chosen.network) { network in
            await follow(network.tokenTransport(to: chosen.origins), onProgress)
        }
    }

    private func follow(
        _ transport: some TokenTransport,
        _ onProgress: (CheckMachine, Moment) -> Void
    ) async -> CheckReport {
        let time = environment.time
        let signals = watchesSignals ? SignalWatch() : nil
        let (inputs, input) = AsyncStream.makeStream(of: Input.self)
        var machine = machine
        return await withTaskGroup(of: Void.self) { group in
            group.addTask {
                guard let signals else { return }
                for await signal in signals.signals { input.yield(.interrupted(signal: signal)) }
            }
            var timers: Set<Instant> = []
            func perform(_ effects: [CheckEffect], _ group: inout TaskGroup<Void>) {
                for effect in effects {
                    switch effect {
                    case .send(let request):
                        group.addTask {
                            let report = await transport.send(
                                request.request,
                                connection: .own,
                                deadline: time.now.advanced(bySeconds: Self.timeout)
                            )
                            input.yield(
                                .check(
                                    .answered(
                                        id: request.id,
                                        report.outcome,
                                        sentAt: report.sentAt,
                                        endedAt: report.endedAt
                                    )
                                )
                            )
                        }
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
            perform(machine.begin(at: time.moment), &group)
            for await next in inputs {
                guard !machine.isOver else { break }
                switch next {
                case .interrupted(let signal): ProgramExit.leave(128 + signal)
                case .check(let check):
                    let moment = time.moment
                    timers = timers.filter { $0 > moment.now }
                    perform(machine.handle(check, at: moment), &group)
                    onProgress(machine, moment)
                }
                if machine.isOver { break }
            }
            group.cancelAll()
            return machine.report
        }
    }
}
