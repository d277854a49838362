package import Basics
package import Profiles

/// Why a sign-in in the user's browser brought no authorization code.
package enum AuthorizationFailure: Error, Sendable, Hashable, Codable {
    /// The authorization server's `error` and `error_description`, bounded and on one line.
    case refused(error: String, description: String?)
    /// By the user, on the dashboard.
    case cancelled
    /// No redirect came in time, or only redirects that were not accepted: why the last one was
    /// not.
    case timedOut(RedirectProblem?)
    case rejected(RedirectProblem)
    /// The redirect cannot be received, for example because the profile's port is in use.
    case notListening(detail: String)
    /// The code of a sign-in on another device has expired.
    case codeExpired
    /// There is no user to sign in, as for a command in a script.
    case noUser

    /// Whether the user or the server has refused it.
    var isRefusal: Bool {
        if case .refused = self { true } else { false }
    }
}

/// An id token that a login brought, and what its check found.
package struct IDTokenReport: Sendable, Hashable, Codable {
    package var fingerprint: Fingerprint
    package var check: IDTokenCheck

    package init(fingerprint: Fingerprint, check: IDTokenCheck) {
        self.fingerprint = fingerprint
        self.check = check
    }

    /// The verdict on the signature, as the field `signature` of an event has it.
    package enum Signature: String, Sendable, Hashable, CaseIterable {
        case valid
        case invalid
        case unchecked
    }

    package var signature: Signature {
        switch check.signature {
        case .valid: .valid
        case .invalid: .invalid
        case .withoutKeys, .withoutItsKey, .unchecked: .unchecked
        }
    }
}

/// A sign-in that waits for the user.
package struct AuthorizationPrompt: Sendable, Hashable, Codable {
    /// A code that the user enters at the URL, in a browser on any device (RFC 8628).
    package struct Device: Sendable, Hashable, Codable {
        package var userCode: String
        /// The address that contains the code, or `nil` if there is none.
        package var completeURL: String?

        package init(userCode: String, completeURL: String? = nil) {
            self.userCode = userCode
            self.completeURL = completeURL
        }
    }

    /// The URL to open, in a browser on this machine unless there is a code.
    package var url: String
    /// Whether a browser was started with it.
    package var isOpened: Bool
    /// When the sign-in is given up.
    package var expiresAt: Instant
    /// The code to enter, or `nil` if there is none.
    package var device: Device?

    package init(url: String, isOpened: Bool, expiresAt: Instant, device: Device? = nil) {
        self.url = url
        self.isOpened = isOpened
        self.expiresAt = expiresAt
        self.device = device
    }
}
