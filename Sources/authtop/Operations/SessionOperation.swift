import Basics
import Client
import Model
import Observer
import Profiles
import UI

/// One operation of the user on a session, decided event by event.
///
/// Pure: the machine decides what the session itself does.
protocol SessionOperation: Sendable {
    /// How long the operation may take, in seconds.
    var timeout: Double { get }

    /// The inputs for the machine before it reads the stored record.
    var beginning: [SessionInput] { get }

    /// Returns what follows from an event, which the snapshot already includes.
    mutating func step(_ event: SessionEvent, _ session: SessionSnapshot) -> OperationStep

    /// Returns what follows from the response to a custom request.
    mutating func answered(_ answer: CustomResponse) -> OperationStep

    /// Returns what follows from the access token that was asked for, or from why there is none.
    mutating func granted(
        _ result: Result<TokenGrant, WaitFailure>,
        _ session: SessionSnapshot
    ) -> OperationStep

    /// Returns the lines to print below the outcome of a successful operation.
    func details(of session: SessionSnapshot, at moment: Moment, _ clock: ClockFormatter)
        -> [String]

    /// Returns the output for a program, one JSON object per line.
    func objects(of session: SessionSnapshot) -> [String]

    /// Returns the outcome if the timeout is reached.
    func outOfTime(_ session: SessionSnapshot) -> OperationEnd
}

extension SessionOperation {
    var beginning: [SessionInput] { [] }

    mutating func answered(_ answer: CustomResponse) -> OperationStep { .wait }

    mutating func granted(
        _ result: Result<TokenGrant, WaitFailure>,
        _ session: SessionSnapshot
    ) -> OperationStep { .wait }

    /// Returns the lines about the held pair.
    func details(of session: SessionSnapshot, at moment: Moment, _ clock: ClockFormatter)
        -> [String]
    {
        var rows = TextRows()
        PairRows(session: session, moment: moment, clock: clock).add(to: &rows)
        return rows.lines
    }

    func objects(of session: SessionSnapshot) -> [String] { [] }
}

extension SessionSnapshot {
    /// Whether the plan of the pair is still to come, in an event of its own.
    var awaitsPlan: Bool {
        guard current != nil else { return false }
        return switch renewalPlan {
        case .underWay, .awaitsLock, nil: true
        case .scheduled, .held, .impossible: false
        }
    }

    /// Whether a renewal is due, which has started and is worth waiting for; also while the plan is
    /// unknown.
    func isRenewalDue(at now: Instant) -> Bool {
        switch renewalPlan {
        case .underWay, .awaitsLock, nil: true
        case .scheduled(let instant, _): instant <= now
        case .held, .impossible: false
        }
    }
}

enum OperationStep: Sendable {
    case wait
    /// Send a custom request, which leads to `answered`.
    case ask(CustomRequest)
    /// Wait for an access token, which leads to `granted`.
    case awaitToken
    case send(SessionInput)
    case end(OperationEnd)

    static func done(_ message: String) -> OperationStep { .end(.done(message)) }

    static func failed(_ exit: CommandFailure.Exit, _ message: String) -> OperationStep {
        .end(.failed(CommandFailure(exit, message)))
    }
}

enum OperationEnd: Sendable {
    case done(String)
    /// The request, and the backend's response.
    case answered(String, CustomResponse)
    /// An access token for the user, who alone is given it.
    case granted(TokenGrant)
    case failed(CommandFailure)
}
