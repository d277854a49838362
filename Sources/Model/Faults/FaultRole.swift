/// The form of a fault in one of the places where it can act.
struct FaultRole: Sendable {
    let place: Fault.Place
    /// As it is written: in lower case with hyphens, and of no other fault.
    let name: String
    /// The effect in a few words for users, or `nil` if they are to read the name.
    let words: String?
    /// The exchanges that it can affect.
    let kinds: [ExchangeKind]
    /// The numbers that users may set, in the order in which they are written.
    let parameters: [FaultParameter]
    /// The time in seconds from the first change for which its scorecard watches an app, or `nil`
    /// if it watches until it is stopped; that of a delay in addition to the delay.
    let watch: Double?
    /// The lines of its scorecard: the expected behavior of an app, or of a backend.
    let checks: [Scorecard.Check]
    /// The possible damage, for the question that is asked before.
    let risk: String?
    /// The outcome under each policy for the second use of a refresh token, one a line; empty if it
    /// uses none twice.
    let outcomes: [String]
    /// The effect, with the values that the fault has.
    let sentence: @Sendable (Fault) -> String

    init(
        _ place: Fault.Place,
        _ name: String,
        words: String? = nil,
        in kinds: [ExchangeKind],
        _ parameters: [FaultParameter] = [],
        watch: Double? = nil,
        checks: [Scorecard.Check] = [],
        risk: String? = nil,
        outcomes: [String] = [],
        sentence: @escaping @Sendable (Fault) -> String
    ) {
        self.place = place
        self.name = name
        self.words = words
        self.kinds = kinds
        self.parameters = parameters
        self.watch = watch
        self.checks = checks
        self.risk = risk
        self.outcomes = outcomes
        self.sentence = sentence
    }
}

extension String {
    /// The risk of what uses a refresh token twice.
    static let reuseDetection = "A backend with reuse detection revokes the session."
}
