/// A text for the clipboard of the terminal.
package struct CopiedText: Sendable, Hashable {
    /// The longest text that terminals accept, in bytes: 100 000 characters with the frame of
    /// OSC 52 and in base64.
    static let limit = 74_994

    /// The name of the text: `request #17 as curl`.
    let name: String
    package let text: String

    /// The way in which a text reaches the clipboard.
    package enum Route: Sendable, Hashable {
        /// Sent to the terminal, which does not say whether it has a clipboard.
        case terminal
        /// Sent to tmux, which depends on its options.
        case tmux
        /// Nothing was sent.
        case none
    }

    /// Returns its result.
    package func message(_ route: Route) -> String {
        let size = CountFormatter.count(text.utf8.count, "byte")
        return switch route {
        case .terminal: "\(name), \(size): sent to the terminal's clipboard"
        case .tmux: "\(name), \(size): sent to tmux, which needs set-clipboard on"
        case .none: "not copied: this terminal has no clipboard for programs"
        }
    }
}
