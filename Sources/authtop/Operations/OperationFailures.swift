import Client
import Model
import UI

/// The failures that several operations have in common.
extension CommandFailure {
    static func vaultUnavailable(_ problem: VaultProblem, _ profile: String) -> CommandFailure {
        CommandFailure(.unreachable, "\(profile): \(problem.message)")
    }

    static func signedOut(
        _ reason: SignedOutReason,
        saying words: String? = nil,
        _ profile: String
    ) -> CommandFailure {
        let text = "\(profile): \(signedOutText(reason, saying: words))"
        return CommandFailure(.notSo, text, run: ["login", profile])
    }

    /// Returns why there is no session, with the backend's words if it refused the refresh token.
    static func signedOutText(_ reason: SignedOutReason, saying words: String?) -> String {
        signedOutText(reason) + (words.map { ": \(RefusalText.quoted($0))" } ?? "")
    }

    static func signedOutText(_ reason: SignedOutReason) -> String {
        reason == .never ? "signed out" : ReasonText.sentence(reason)
    }

    static func rejected(_ rejection: ActionRejection, _ profile: String) -> CommandFailure {
        CommandFailure(.notSo, "\(profile): \(CauseText().text(rejection))")
    }

    static func noToken(after outlook: RetryOutlook? = nil, _ profile: String) -> CommandFailure {
        let cause = outlook.map { ": \(FailureText.full($0.failure))" } ?? ""
        return CommandFailure(
            .unreachable,
            "\(profile): there is no usable access token, and no renewal brought one\(cause); "
                + "you stay logged in"
        )
    }

    static func unsaved(_ problem: VaultProblem, _ profile: String) -> CommandFailure {
        CommandFailure(
            .unreachable,
            "\(profile): renewed, but the new pair could not be saved and is lost: "
                + problem.message
        )
    }
}
