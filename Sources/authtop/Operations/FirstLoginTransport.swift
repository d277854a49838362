import Basics
import Client
import Model
import Observer
import Profiles
import Synchronization

/// A transport that is patient with a backend that is just starting: a login whose connection is
/// refused is sent again for some seconds, as long as the backend has not answered anything.
final class FirstLoginTransport: TokenTransport {
    /// The time for which a refused login is sent again.
    static let limit = Duration.seconds(4)
    private static let pause = Duration.milliseconds(250)

    private let base: any TokenTransport
    private let dialect: Dialect
    private let time: any Timekeeper
    private let onWait: @Sendable (_ detail: String) -> Void
    private let hasConnected = Mutex(false)

    /// - Parameters:
    ///   - base: The transport.
    ///   - dialect: The dialect, by which a login is recognized.
    ///   - time: The clock.
    ///   - onWait: Is called before a login is sent again for the first time, with the problem.
    init(
        over base: any TokenTransport,
        dialect: Dialect,
        time: any Timekeeper,
        onWait: @escaping @Sendable (_ detail: String) -> Void = { _ in }
    ) {
        self.base = base
        self.dialect = dialect
        self.time = time
        self.onWait = onWait
    }

    func send(
        _ request: WireRequest,
        connection: ConnectionUse,
        deadline: Instant
    ) async -> TransportReport {
        var report = await base.send(request, connection: connection, deadline: deadline)
        if let detail = report.refusal, dialect.trialKind(of: request) == .login,
            !hasConnected.withLock({ $0 })
        {
            let end = min(deadline, time.now + Self.limit)
            onWait(detail)
            while report.refusal != nil, time.now + Self.pause < end,
                (try? await time.sleep(until: time.now + Self.pause)) != nil
            {
                report = await base.send(request, connection: connection, deadline: deadline)
            }
        }
        if report.refusal == nil { hasConnected.withLock { $0 = true } }
        return report
    }

    func probe(deadline: Instant) async -> Bool { await base.probe(deadline: deadline) }
}

extension TransportReport {
    /// The message about a connection that nothing listened for, or `nil` if that did not happen.
    fileprivate var refusal: String? {
        guard case .notSent(.unreachable(let detail)) = outcome,
            detail.begins(with: "connection refused by ")
        else { return nil }
        return detail
    }
}
