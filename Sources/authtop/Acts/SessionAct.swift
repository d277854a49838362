import Dashboard
import Dialects
import Lifecycle
import Sessions
import Timekeeping

/// One thing that a person wants done with a session, decided event by event.
///
/// Pure: what the session does meanwhile is the machine's affair.
protocol SessionAct: Sendable {
    /// How long all of it may take, in seconds.
    static var patience: Double { get }

    /// Said to the machine before it reads what is stored.
    var beginning: [SessionInput] { get }

    /// What follows from an event; the snapshot has taken it in already.
    mutating func step(_ event: SessionEvent, _ session: SessionSnapshot) -> ActStep

    /// What follows from the answer that was asked for.
    mutating func answered(_ answer: CustomAnswer) -> ActStep

    /// What stands below the words of an act that was done.
    func details(of session: SessionSnapshot, at moment: Moment, _ clock: ClockWords) -> [String]

    /// The same for a program, one JSON object a line.
    func objects(of session: SessionSnapshot) -> [String]

    /// What it comes to when the patience is over.
    func outOfTime(_ session: SessionSnapshot) -> ActEnd
}

extension SessionAct {
    var beginning: [SessionInput] { [] }

    mutating func answered(_ answer: CustomAnswer) -> ActStep { .wait }

    /// The pair that is held.
    func details(of session: SessionSnapshot, at moment: Moment, _ clock: ClockWords) -> [String] {
        var rows = TextRows()
        PairRows(session: session, moment: moment, clock: clock).add(to: &rows)
        return rows.lines
    }

    func objects(of session: SessionSnapshot) -> [String] { [] }
}

enum ActStep: Sendable {
    case wait
    /// Ends in `answered`.
    case ask(CustomRequest)
    case send(SessionInput)
    case end(ActEnd)

    static func done(_ words: String) -> ActStep { .end(.done(words)) }

    static func failed(_ exit: CommandFailure.Exit, _ words: String) -> ActStep {
        .end(.failed(CommandFailure(exit, words)))
    }
}

enum ActEnd: Sendable {
    case done(String)
    /// What a person asked the backend, and its words.
    case answered(String, CustomAnswer)
    case failed(CommandFailure)
}
