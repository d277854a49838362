import Dialects
package import Lifecycle

/// A sign-in with the user's browser, as text.
package enum AuthorizationText {
    /// The lines for a terminal without a screen.
    package static func prompt(_ prompt: AuthorizationPrompt) -> String {
        let how =
            prompt.isOpened
            ? "sign in with the browser that was opened, or open this address on this machine:"
            : "open this address in a browser on this machine to sign in:"
        return "authtop: \(how)\n\(prompt.url.visibleInOneLine)"
    }

    static func text(_ failure: AuthorizationFailure) -> String {
        switch failure {
        case .refused(let error, nil): "the server refused the sign-in: \(error)"
        case .refused(let error, let description?):
            "the server refused the sign-in: \(error): \(description)"
        case .cancelled: "the sign-in was cancelled"
        case .timedOut(nil): "nobody signed in within 5 min"
        case .timedOut(let problem?): "nobody signed in within 5 min: \(text(problem))"
        case .rejected(let problem): text(problem)
        case .notListening(let detail): "the redirect of the browser cannot be received: \(detail)"
        case .noUser:
            "a login needs your browser: use authtop login, or o on the dashboard of authtop watch"
        }
    }

    private static func text(_ problem: RedirectProblem) -> String {
        switch problem {
        case .otherState: "the redirect has another state than the sign-in"
        case .otherIssuer: "the redirect does not name the issuer of the profile"
        case .noCode: "the redirect contains no authorization code"
        }
    }
}
