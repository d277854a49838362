import Basics
import Client
import Model
import Observer
import Synchronization
import UI

/// Observes which faults of a session's sandbox are on, and reports each change to the session.
final class FaultMonitor: Sendable {
    private struct State {
        /// Whether the last response of the backend states that the sandbox sent it.
        var isSandbox = false
        /// The number of changes that the user has requested.
        var requested = 0
        /// The number of those that are not answered yet.
        var pending = 0
        /// The faults that were reported to the session last.
        var reported: [String] = []
    }

    /// Between two looks at the built-in sandbox, and at another one, once it has responded, that
    /// nothing is sent to.
    private static let includedInterval = Duration.milliseconds(250)
    private static let otherInterval = Duration.seconds(10)
    /// Between two looks, however often another sandbox responds.
    private static let gap = Duration.seconds(2)

    private let source: any SessionSource
    private let control: FaultControl
    /// Returns the settings of the built-in sandbox's faults that are on, or `nil` if it is another
    /// backend.
    private let included: (@Sendable () -> [String])?
    private let time: any Timekeeper
    private let state = Mutex(State())
    /// An element for each reason to look at the sandbox.
    private let reasons: AsyncStream<Void>
    private let reason: AsyncStream<Void>.Continuation

    init(
        _ source: any SessionSource,
        control: FaultControl,
        included: (@Sendable () -> [String])?,
        time: any Timekeeper
    ) {
        self.source = source
        self.control = control
        self.included = included
        self.time = time
        (reasons, reason) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// Whether `receive(_:)` needs an event: the first of a session, or a request.
    static func follows(_ event: SessionEvent) -> Bool {
        event.kind is Capabilities || event.kind is Exchange
    }

    /// Takes in an event of the session that `follows(_:)` names.
    ///
    /// - Returns: Whether there is something to observe: nothing is looked at for a backend that is no
    ///   sandbox.
    func receive(_ event: SessionEvent) -> Bool {
        guard included == nil else { return true }
        guard let exchange = event.kind as? Exchange, exchange.status != nil else { return false }
        state.withLock { $0.isSandbox = exchange.claimsSandbox }
        if exchange.claimsSandbox { reason.yield() }
        return exchange.claimsSandbox
    }

    /// Observes the faults until the calling task is cancelled; begins after the first event of the
    /// session, which is its own.
    func run() async {
        guard included == nil else { return await observeRepeatedly() }
        await withDiscardingTaskGroup { group in
            group.addTask { await self.observeForReasons() }
            group.addTask { await self.observeRepeatedly() }
        }
    }

    /// Performs a request of the user.
    ///
    /// - Returns: The faults as the sandbox states them after it, or why it did not.
    func perform(_ request: FaultRequest) async -> Result<[SandboxFault], FaultProblem> {
        let isChange = request != .read
        if isChange {
            state.withLock { state in
                state.requested += 1
                state.pending += 1
            }
        }
        let result = await control.perform(request)
        if case .success(let faults) = result {
            await report(faults.active, by: isChange ? .user : .sandbox)
        }
        if isChange { state.withLock { $0.pending -= 1 } }
        return result
    }

    private func observeForReasons() async {
        for await _ in reasons {
            await observe()
            guard (try? await time.sleep(until: time.now + Self.gap)) != nil else { return }
        }
    }

    private func observeRepeatedly() async {
        while !Task.isCancelled {
            if included == nil { reason.yield() } else { await observe() }
            let interval = included == nil ? Self.otherInterval : Self.includedInterval
            guard (try? await time.sleep(until: time.now + interval)) != nil else { return }
        }
    }

    private func observe() async {
        let (requested, isIdle) = state.withLock { ($0.requested, $0.pending == 0) }
        guard isIdle, let active = await read() else { return }
        // A change that the user has requested since is reported with that.
        guard state.withLock({ $0.requested }) == requested else { return }
        await report(active, by: .sandbox)
    }

    /// Returns the faults that are on, or `nil` if that is not known.
    private func read() async -> [String]? {
        if let included { return included() }
        guard state.withLock({ $0.isSandbox }) else { return nil }
        switch await control.perform(.read) {
        case .success(let faults): return faults.active
        case .failure:
            // Asked again once another response states that it is the sandbox.
            state.withLock { $0.isSandbox = false }
            return nil
        }
    }

    private func report(_ active: [String], by origin: FaultsChange.Origin) async {
        let isNew = state.withLock { state in
            defer { state.reported = active }
            return state.reported != active
        }
        guard isNew else { return }
        await source.perform(.reportFaults(FaultsChange(active: active, by: origin)))
    }
}

extension [SandboxFault] {
    /// The settings of those that are on.
    fileprivate var active: [String] { filter { !$0.isOff }.map(\.setting.description) }
}
