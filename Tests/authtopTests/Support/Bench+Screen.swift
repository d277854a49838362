extension Bench {
    /// Starts to watch a sandbox, or a relay to one, on a screen.
    func watchOnScreen(
        _ guide: Guide,
        at port: Int,
        _ arguments: String...
    ) async throws -> Terminal {
        let terminal = try await terminal(with: guide.credentials)
        let base = "http://127.0.0.1:\(port)/\(guide.rawValue)"
        let message =
            ["authtop", "watch", guide.rawValue, "--base-url", base] + Self.vault(arguments)
            + arguments
        try await terminal.enter(message.joined(separator: " "))
        return terminal
    }
}
