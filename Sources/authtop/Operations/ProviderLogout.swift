import Basics
import Client
import Glibc
import Platform
import UI

extension OperationRun {
    /// The time that the user may take in the browser, in seconds.
    private static let browserLimit = 120.0

    /// Ends the provider's own session in the browser, if there is a user to see it.
    ///
    /// - Parameters:
    ///   - idToken: The last id token of the session that has ended.
    ///   - options: Whether to start a browser.
    /// - Returns: What is known of the provider's session.
    func endProviderSession(
        _ idToken: Secret?,
        in options: BrowserOptions
    ) async -> String {
        let hasUser = isatty(STDERR_FILENO) == 1 || environment.variables["BROWSER"] != nil
        guard hasUser else {
            return "\(ProviderLogoutText.left): a logout on a terminal ends it"
        }
        let baseURL = chosen.origins.base.description
        let end = await withNetwork(chosen.network) { network in
            let browser = environment.browser(on: network, opens: !options.noBrowser)
            let deadline = environment.time.now.advanced(bySeconds: Self.browserLimit)
            return await environment.time.limited(to: deadline) { [dialect = chosen.dialect] in
                await browser.endSession(of: dialect, at: baseURL, idToken: idToken) {
                    url,
                    isOpened in
                    StandardError.write(ProviderLogoutText.prompt(url, isOpened: isOpened))
                }
            }
        }
        return ProviderLogoutText.text(end)
    }
}

/// The end of a provider's own session, as text.
enum ProviderLogoutText {
    static let left = "the provider's own session stays open in the browser"

    static func prompt(_ url: String, isOpened: Bool) -> String {
        let how =
            isOpened
            ? "the provider's own session ends in the browser that was opened, or at this address "
                + "on this machine:"
            : "open this address in the browser of the login, on this machine, to end the "
                + "provider's own session:"
        return "authtop: \(how)\n\(url)"
    }

    static func text(_ end: ProviderSessionEnd) -> String {
        switch end {
        case .ended: "the provider has ended its own session in the browser"
        case .led:
            "the browser was led to the provider to end its own session; whether it did is not "
                + "known"
        case .notOpened:
            "\(left): the address was not opened within 2 m"
        case .notListening(let detail):
            "\(left), which cannot be received: \(detail.visibleInOneLine)"
        }
    }
}
