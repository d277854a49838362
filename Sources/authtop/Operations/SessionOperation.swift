import Dashboard
import Dialects
import Lifecycle
import Sessions
import Timekeeping

/// One thing that a person wants done with a session, decided event by event.
///
/// Pure: what the session does meanwhile is the machine's affair.
protocol SessionOperation: Sendable {
    /// How long all of it may take, in seconds.
    static var timeout: Double { get }

    /// Said to the machine before it reads what is stored.
    var beginning: [SessionInput] { get }

    /// What follows from an event; the snapshot has taken it in already.
    mutating func step(_ event: SessionEvent, _ session: SessionSnapshot) -> OperationStep

    /// What follows from the answer that was asked for.
    mutating func answered(_ answer: CustomResponse) -> OperationStep

    /// What stands below the words of an action that was done.
    func details(of session: SessionSnapshot, at moment: Moment, _ clock: ClockFormatter)
        -> [String]

    /// The same for a program, one JSON object a line.
    func objects(of session: SessionSnapshot) -> [String]

    /// What it comes to when the timeout is over.
    func outOfTime(_ session: SessionSnapshot) -> OperationEnd
}

extension SessionOperation {
    var beginning: [SessionInput] { [] }

    mutating func answered(_ answer: CustomResponse) -> OperationStep { .wait }

    /// The pair that is held.
    func details(of session: SessionSnapshot, at moment: Moment, _ clock: ClockFormatter)
        -> [String]
    {
        var rows = TextRows()
        PairRows(session: session, moment: moment, clock: clock).add(to: &rows)
        return rows.lines
    }

    func objects(of session: SessionSnapshot) -> [String] { [] }
}

enum OperationStep: Sendable {
    case wait
    /// Ends in `answered`.
    case ask(CustomRequest)
    case send(SessionInput)
    case end(OperationEnd)

    static func done(_ message: String) -> OperationStep { .end(.done(message)) }

    static func failed(_ exit: CommandFailure.Exit, _ message: String) -> OperationStep {
        .end(.failed(CommandFailure(exit, message)))
    }
}

enum OperationEnd: Sendable {
    case done(String)
    /// What a person asked the backend, and its words.
    case answered(String, CustomResponse)
    case failed(CommandFailure)
}
