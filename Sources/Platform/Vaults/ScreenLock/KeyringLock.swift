package import Basics
import Client
package import Model

/// Locks the keyring that has the vault's key, and unlocks it: the keyring then asks its owner for
/// the password.
package struct KeyringLock: Sendable {
    /// The time that the user may take to unlock the keyring.
    private static let timeout = Duration.seconds(120)

    private let tool: Tool
    private let asking: Tool

    /// Creates a lock; `nil` if `secret-tool` is not installed, or there is no session bus.
    package init?(variables: [String: String], time: any Timekeeper) {
        let hasBus =
            variables["DBUS_SESSION_BUS_ADDRESS"] != nil || variables["XDG_RUNTIME_DIR"] != nil
        guard hasBus, let tool = Tool("secret-tool", variables: variables, time: time),
            let asking = Tool(
                "secret-tool",
                variables: variables,
                timeout: Self.timeout,
                time: time
            )
        else { return nil }
        self.tool = tool
        self.asking = asking
    }

    /// Returns whether the key is in a keyring that is unlocked or can be unlocked.
    package func hasKey() async -> Bool {
        let found = try? await BlockingQueue().run { () throws(VaultProblem) in
            var answer = try tool.run(["search"] + SecretServiceKey.attributes)
            defer { answer.output.wipe() }
            return !answer.output.isEmpty
        }
        return found ?? false
    }

    /// Locks the keyring; tries the login keyring first, then all of them.
    ///
    /// - Throws: If the key can still be read.
    package func close() async throws(VaultProblem) {
        try await BlockingQueue().run { () throws(VaultProblem) in
            for arguments in [["lock", "--collection=login"], ["lock"]] {
                _ = try tool.run(arguments)
                if try !isOpen(tool, ["search"]) { return }
            }
            throw VaultProblem(message: "the keyring that has the vault's key cannot be locked")
        }
    }

    /// Reads the key, which unlocks the keyring if its owner permits; returns whether it is
    /// unlocked.
    package func open() async throws(VaultProblem) -> Bool {
        try await BlockingQueue().run { () throws(VaultProblem) in
            try isOpen(asking, ["search", "--unlock"])
        }
    }

    /// Returns whether the tool outputs the key.
    private func isOpen(_ tool: Tool, _ arguments: [String]) throws(VaultProblem) -> Bool {
        var answer = try tool.run(arguments + SecretServiceKey.attributes)
        defer { answer.output.wipe() }
        let mark = Array("secret = ".utf8)
        return answer.output.split(separator: UInt8(ascii: "\n")).contains { line in
            line.starts(with: mark) && line.count > mark.count
        }
    }
}
