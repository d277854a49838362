import Basics
package import Model
import Profiles

/// The user's browser, in which a login happens, and the redirect that ends it (RFC 8252).
package struct Browser: Sendable {
    /// Receives the redirects.
    var redirects: any RedirectReceiver
    /// Opens a URL; returns whether a browser was started.
    var open: @Sendable (String) -> Bool
    /// Returns as many bytes from a secure source.
    var randomBytes: @Sendable (Int) -> [UInt8]

    package init(
        redirects: any RedirectReceiver,
        open: @escaping @Sendable (String) -> Bool,
        randomBytes: @escaping @Sendable (Int) -> [UInt8]
    ) {
        self.redirects = redirects
        self.open = open
        self.randomBytes = randomBytes
    }
}

/// Listens for redirects on 127.0.0.1.
package protocol RedirectReceiver: Sendable {
    /// Answers the requests of browsers until an answer is the last one, or the task is cancelled.
    ///
    /// - Parameters:
    ///   - port: The port, or `nil` for a free one.
    ///   - begin: Called once with the port as soon as connections are accepted; returns what
    ///     answers a request by its path and query.
    /// - Throws: `AuthorizationFailure.notListening` if the port cannot be used.
    func receive(
        on port: Int?,
        begin: @Sendable (Int) async -> (@Sendable (String) -> RedirectPage)
    ) async throws(AuthorizationFailure)
}

/// The page that a browser shows after a redirect.
package struct RedirectPage: Sendable, Hashable {
    package var status: Int
    package var html: String
    /// Whether no further request is awaited.
    package var isLast: Bool

    /// For a request that is no redirect, such as that for an icon.
    package static let notFound = RedirectPage(
        status: 404,
        title: "Not found",
        text: "Only the redirect of a login is answered here.",
        isLast: false
    )

    init(_ redirect: AuthorizationRedirect) {
        switch redirect {
        case .granted:
            self.init(
                status: 200,
                title: "Logged in",
                text: "You can close this window, and go back to authtop.",
                isLast: true
            )
        case .refused(let error, let description):
            self.init(
                status: 200,
                title: "Not logged in",
                text: "The server refused it: \(description ?? error). You can close this window.",
                isLast: true
            )
        case .rejected(.otherState):
            self.init(
                status: 400,
                title: "Not this login",
                text: "This redirect does not belong to the login that authtop waits for, which "
                    + "continues to wait. Use the address that authtop shows.",
                isLast: false
            )
        case .rejected(.otherIssuer):
            self.init(
                status: 400,
                title: "Not logged in",
                text: "The redirect does not name the issuer of the profile. You can close this "
                    + "window.",
                isLast: true
            )
        case .rejected(.noCode):
            self.init(
                status: 400,
                title: "Not logged in",
                text: "The redirect contains no authorization code. You can close this window.",
                isLast: true
            )
        }
    }

    init(_ step: EndSessionStep) {
        switch step {
        case .start(let target, let isLast):
            self.init(
                status: 200,
                title: "On to the provider",
                text: "authtop has ended its session, and the provider is to end its own.",
                isLast: isLast,
                next: target
            )
        case .ended:
            self.init(
                status: 200,
                title: "Logged out",
                text: "You can close this window, and go back to authtop.",
                isLast: true
            )
        case .otherState:
            self.init(
                status: 400,
                title: "Not this logout",
                text: "This redirect does not belong to the logout that authtop waits for.",
                isLast: false
            )
        }
    }

    /// `next` is the address that the browser goes on to by itself, or by a click.
    private init(
        status: Int,
        title: String,
        text: String,
        isLast: Bool,
        next: Secret? = nil
    ) {
        self.status = status
        self.isLast = isLast
        let address = next.map { HTMLPage.escaped($0.reveal()) }
        let head = address.map { #"<meta http-equiv="refresh" content="0; url=\#($0)">"# } ?? ""
        let link = address.map { #"<p><a href="\#($0)">Go on</a></p>"# } ?? ""
        html = HTMLPage.html(
            title: "authtop: \(title)",
            body: """
                \(head)
                <h1>\(HTMLPage.escaped(title))</h1>
                <p>\(HTMLPage.escaped(text))</p>
                \(link)
                """
        )
    }
}
