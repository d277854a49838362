import Basics

/// The description of a request in the narrative.
enum PendingExchangeText {
    static func sent(_ purpose: PendingExchange.Purpose, _ fingerprinter: Fingerprinter) -> String {
        switch purpose {
        case .login: "sends a login"
        case .refresh(let token): "sends refresh token \(fingerprinter.fingerprint(of: token))"
        case .protected(let token):
            "sends a request with access token \(fingerprinter.fingerprint(of: token))"
        case .revocation: "sends a logout"
        }
    }
}
