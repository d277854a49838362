package import Profiles

/// Formats causes and failures as messages.
///
/// The core has causes as types. Code that shows them to users passes a formatter, so that a
/// screen, a JSON line, a log and a command have the same message.
package protocol CauseFormatter: Sendable {
    func text(_ failure: RefreshFailure) -> String
    func text(_ problem: VaultProblem) -> String
    func text(_ problem: CredentialProblem) -> String
    func text(_ cause: UnsentCause) -> String
    func text(_ reason: SignedOutReason) -> String
    /// For a place with little room.
    func brief(_ reason: SignedOutReason) -> String
    func text(_ cause: StateChangeCause) -> String
    func text(_ cause: RefreshCause) -> String
    func text(_ plan: RenewalPlan) -> String
    func text(_ cause: RequestCause) -> String
    func text(_ rejection: ActionRejection) -> String
    func text(_ failure: SessionListFailure) -> String
    func text(_ introspection: IntrospectionResult) -> String
    func text(_ cause: FeedCause) -> String
    func text(_ rule: DecidingRule) -> String
    /// Why the feed is not dialed again.
    func text(stopping cause: FeedCause) -> String
    func text(_ result: ExperimentResult) -> String
}
