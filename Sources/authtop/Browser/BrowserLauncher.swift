import Basics
import Client
import Glibc
import Model
import Observer
import Platform
import UI

/// Opens URLs in the user's browser.
struct BrowserLauncher: Sendable {
    let variables: [String: String]

    /// Opens a URL; returns whether a browser was started.
    func open(_ url: String) -> Bool {
        commands(for: url).contains { command in
            DetachedProgram.start(
                command[0],
                Array(command.dropFirst()),
                variables: variables
            )
        }
    }

    /// The programs with their arguments, the preferred one first.
    ///
    /// `BROWSER` lists commands separated by colons, in which `%s` stands for the URL. Without a
    /// graphical session, `xdg-open` would start a browser in this terminal.
    func commands(for url: String) -> [[String]] {
        let listed = (variables["BROWSER"] ?? "").parts(at: ":").compactMap { text in
            let words = text.parts(at: " ").map(String.init)
            guard !words.isEmpty else { return nil as [String]? }
            guard words.contains(where: { $0.containsBytes(of: "%s") }) else {
                return words + [url]
            }
            return words.map { $0.replacing(bytes: "%s", with: url) }
        }
        let isGraphical = ["DISPLAY", "WAYLAND_DISPLAY"].contains { name in
            variables[name]?.isEmpty == false
        }
        return listed + (isGraphical ? [["xdg-open", url]] : [])
    }
}

extension LiveEnvironment {
    /// Returns the user's browser for logins.
    ///
    /// - Parameters:
    ///   - network: The network, on which redirects are received.
    ///   - opens: Whether to start it; otherwise the user opens the URL.
    /// - Returns: The browser.
    func browser(on network: NetworkContext, opens: Bool) -> Browser {
        let launcher = BrowserLauncher(variables: variables)
        return Browser(
            redirects: network.redirects,
            open: { opens && launcher.open($0) },
            randomBytes: { randomBytes($0) }
        )
    }
}

extension StandardError {
    /// Writes what the user is to do for a login, with a QR code if a user may see it.
    static func write(_ prompt: AuthorizationPrompt) {
        write(AuthorizationText.prompt(prompt))
        guard isatty(STDERR_FILENO) == 1 else { return }
        for row in AuthorizationText.picture(prompt) { write(row) }
    }
}
