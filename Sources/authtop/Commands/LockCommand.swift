import ArgumentParser
import Basics
import Client
import Model
import Platform
import UI

struct LockCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "lock",
        abstract: "Lock all your running dashboards, or set the passphrase that unlocks them.",
        discussion: """
            A locked dashboard shows nothing until the passphrase is typed, or the keyring with \
            the vault's key is unlocked; its session continues. This hides the screen, but does not \
            protect against anyone who can use your shell.

            Exit codes: 0 done, 1 nothing could unlock it, or the passphrase is wrong, 2 bad \
            input, 3 a file cannot be read or written.
            """
    )

    @Flag(help: "Set or change the passphrase, with a hidden prompt.")
    var passphrase = false

    func run() async throws {
        let environment = LiveEnvironment()
        do {
            if passphrase {
                try await setPassphrase(PassphraseFile(folder: try environment.stateFolder))
            } else {
                try await lock(in: environment)
            }
        } catch let problem as VaultProblem {
            throw CommandFailure(.unreachable, problem.message)
        }
    }

    private func lock(in environment: LiveEnvironment) async throws {
        guard try await ScreenLocker(vaults: [], environment: environment).key() != nil else {
            throw CommandFailure(.notSo, ScreenLocker.advice)
        }
        try LockRequests(folder: try environment.stateFolder).post()
        _ = StandardOutput.write("all your running dashboards lock now")
    }

    private func setPassphrase(_ file: PassphraseFile) async throws {
        let old = try file.read()
        guard let prompt = TerminalPrompt() else {
            throw CommandFailure(.badInput, "--passphrase: there is no terminal for the prompt")
        }
        if let old {
            let typed = Self.ask("Old passphrase: ", prompt)
            guard try await old.matches(typed) else {
                throw CommandFailure(.notSo, "the passphrase is wrong, and was not changed")
            }
        }
        let new = Self.ask("New passphrase: ", prompt)
        guard new.reveal().count >= Passphrase.shortest else {
            throw CommandFailure(
                .badInput,
                "--passphrase: at least \(Passphrase.shortest) characters are required"
            )
        }
        guard new.byteCount <= Self.longest else {
            throw CommandFailure(.badInput, "--passphrase: more than \(Self.longest) bytes")
        }
        guard Self.ask("Once more: ", prompt) == new else {
            throw CommandFailure(.badInput, "--passphrase: the two inputs differ")
        }
        try file.write(try await Passphrase(hashing: new))
        _ = StandardOutput.write(
            "the passphrase is \(old == nil ? "set" : "changed"); its hash is in \(file.path)"
        )
    }

    /// The largest size in bytes, which is that of a locked screen.
    private static let longest = ScreenLock.sizeLimit

    private static func ask(_ question: String, _ prompt: TerminalPrompt) -> Secret {
        Secret(prompt.ask(question, isSecret: true) ?? "")
    }
}
