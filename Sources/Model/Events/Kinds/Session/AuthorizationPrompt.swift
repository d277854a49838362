package import Basics

/// A login that waits for the user.
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
    /// When the login is given up.
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

extension AuthorizationPrompt: EventKind {
    package static let name = "authorizationRequested"
    package static let recordedAs = "authorizationRequested._0"
    package static let summary =
        "The user is to log in with a browser, on this machine or with a code on any device."
    package static let fields: [EventField<AuthorizationPrompt>] = [
        .text("url", "What to open in a browser.") { $0.url },
        .text("userCode", "The code to enter there.", isOptional: true) {
            $0.device?.userCode
        },
        .flag("opened", "Whether a browser was started with it.") { $0.isOpened },
        .time("expiresAt", "When the login is given up.") { $0.expiresAt },
    ]

    package var kept: (any EventKind)? { self }

    package func apply(to session: inout SessionSnapshot, in event: SessionEvent) {
        session.authorization = self
    }
}
