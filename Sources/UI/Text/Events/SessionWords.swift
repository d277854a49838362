import Basics
import Model
import Profiles

extension Capabilities: WordedEvent {
    func text(_ history: HistoryText) -> String { "watching \(baseURL)" }
}

extension LoginStarted: WordedEvent {
    func text(_ history: HistoryText) -> String { "login began" }
}

extension AuthorizationPrompt: WordedEvent {
    func text(_ history: HistoryText) -> String {
        let how =
            device != nil
            ? "on any device" : isOpened ? "with your browser" : "with a browser"
        return "waits until \(history.when(expiresAt)) for you to log in \(how)"
    }
}

extension AuthorizationGranted: WordedEvent {
    func text(_ history: HistoryText) -> String { "the login was granted" }
}

extension IDTokenReport: WordedEvent {
    func text(_ history: HistoryText) -> String { IDTokenText.text(self) }
}

extension LoginFailed: WordedEvent {
    func text(_ history: HistoryText) -> String { "login failed: \(FailureText.full(failure))" }
}

extension TokensIssued: WordedEvent {
    var symbol: String? { "●" }

    func text(_ history: HistoryText) -> String {
        let how =
            switch pair.origin {
            case .login: "issued by the login"
            case .refresh: pair.keepsAccess ? "stays, the refresh token is a new one" : "issued"
            case .resumed: "taken from the vault"
            case .adopted: "taken over from another process"
            case .imported: "given by you"
            case .joined: "seen in use"
            }
        let name = (pair.access ?? pair.refresh).map { "\($0.fingerprint) " } ?? ""
        var parts = ["\(name)\(how)"]
        if let deadline = pair.accessExpiry {
            let life = ExpiryText.lifetime(deadline)
            parts.append("lives \(life) by \(ExpiryText.short(deadline.expiry.source))")
        }
        if pair.refresh == nil { parts.append("no refresh token") }
        parts += CaptureText.missing(pair.captures)
        return parts.joined(separator: ", ")
    }
}

extension CapturesChanged: WordedEvent {
    func text(_ history: HistoryText) -> String { CaptureText.sentence(captures) }
}

extension SessionStateChanged: WordedEvent {
    var symbol: String? { "→" }

    func text(_ history: HistoryText) -> String {
        let failures = to.outlook.map { $0.failures > 0 ? " ×\($0.failures)" : "" } ?? ""
        let next = to.outlook?.nextAt.map { ", next try \(history.when($0))" } ?? ""
        let cause = why == .observed ? "" : ": \(CauseText().text(why))"
        return "\(from.word) → \(to.word)\(failures)\(next)\(cause)"
    }
}

extension RefreshTokenRefused: WordedEvent {
    func text(_ history: HistoryText) -> String { RefusalText.sentence(evidence) }
}

extension SessionDraining: WordedEvent {
    func text(_ history: HistoryText) -> String {
        let end = endsAt.map { " at \(history.when($0))" } ?? ""
        return "the session ends with its access token\(end): \(ReasonText.text(reason))"
    }
}

extension SignedOut: WordedEvent {
    var symbol: String? { "○" }

    func text(_ history: HistoryText) -> String { "the session ended: \(ReasonText.text(reason))" }
}

extension EndedBefore: WordedEvent {
    var symbol: String? { "○" }

    func text(_ history: HistoryText) -> String {
        let said = refusal?.message.map { ", \(RefusalText.quoted($0))" } ?? ""
        return "the session before ended \(history.when(at.now)): \(ReasonText.text(reason))\(said)"
    }
}

extension SessionErased: WordedEvent {
    func text(_ history: HistoryText) -> String {
        "erased here \(DurationFormatter.fine(after.inSeconds)) after the logout"
    }
}

extension RevocationChanged: WordedEvent {
    func text(_ history: HistoryText) -> String {
        switch phase {
        case .pending: "the backend has yet to be notified of the logout"
        case .expired: "the backend never heard of the logout"
        case .done: "the backend confirmed the logout"
        case .anonymous:
            "the backend confirmed a logout that names no session: it may have ended none"
        case .notOffered: "logged out here: this backend has no logout endpoint"
        case .notKnown:
            "the backend was notified of the logout; it does not accept the token, or has no such "
                + "logout"
        case .noRefreshToken:
            "the backend cannot be notified of the logout: that needs the refresh token"
        case .noAccessToken:
            "the backend cannot be notified of the logout: that needs a live access token"
        case .noCapturedValue:
            "the backend cannot be notified of the logout: a captured value is missing"
        }
    }
}
