package import Model
import Profiles

/// A login with the user's browser, as text.
package enum AuthorizationText {
    /// The lines for a terminal without a screen.
    package static func prompt(_ prompt: AuthorizationPrompt) -> String {
        if let device = prompt.device {
            let code = device.userCode.visibleInOneLine
            return "authtop: to log in, open this address in a browser on any device, and enter "
                + "the code \(code):\n\(prompt.url.visibleInOneLine)"
        }
        let how =
            prompt.isOpened
            ? "log in with the browser that was opened, or open this address on this machine:"
            : "open this address in a browser on this machine to log in:"
        return "authtop: \(how)\n\(prompt.url.visibleInOneLine)"
    }

    /// The address as a QR code for a login on any device; empty for any other login, or if the
    /// address is too long.
    package static func picture(_ prompt: AuthorizationPrompt) -> [String] {
        guard let device = prompt.device else { return [] }
        return QRCode(device.completeURL ?? prompt.url)?.rows ?? []
    }

    static func text(_ failure: AuthorizationFailure, _ keys: KeyMap) -> String {
        switch failure {
        case .refused(let error, nil): "the server refused the login: \(error)"
        case .refused(let error, let description?):
            "the server refused the login: \(error): \(description)"
        case .cancelled: "the login was cancelled"
        case .timedOut(nil): "there was no login within 5 m"
        case .timedOut(let problem?): "there was no login within 5 m: \(text(problem))"
        case .rejected(let problem): text(problem)
        case .notListening(let detail): "the redirect of the browser cannot be received: \(detail)"
        case .codeExpired: "the code expired before a login with it"
        case .noUser:
            "a login needs your browser: use authtop login, or \(keys.name(of: .logIn)) on the "
                + "dashboard of authtop watch"
        }
    }

    private static func text(_ problem: RedirectProblem) -> String {
        switch problem {
        case .otherState: "the redirect has another state than the login"
        case .otherIssuer: "the redirect does not name the issuer of the profile"
        case .noCode: "the redirect contains no authorization code"
        }
    }
}
