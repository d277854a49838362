import Timekeeping
import Tokens

/// Hides the screen until somebody shows that it is theirs.
///
/// The session goes on underneath. What is typed is checked by whoever holds the hash.
package struct ScreenLock: Sendable, Equatable {
    /// What opens it.
    package enum Opener: Sendable, Hashable {
        case passphrase
        /// The keyring that has the vault's key asks by itself.
        case keyring
    }

    /// The longest passphrase, in UTF-8 bytes.
    package static let sizeLimit = 1024
    /// The longest wait after a wrong passphrase, in seconds.
    private static let longestWait = 60.0

    package let opener: Opener
    private(set) var typed = Secret("")
    private(set) var isChecking = false
    /// Wrong passphrases in a row.
    private(set) var wrongTries = 0
    /// No passphrase is taken before then.
    private(set) var opensAgainAt: Instant?
    /// Why it is still locked, if not for a wrong passphrase.
    private(set) var problem: String?

    init(opener: Opener) {
        self.opener = opener
    }

    mutating func apply(_ edit: FormEdit) {
        guard opener == .passphrase, !isChecking else { return }
        var text = typed.reveal()
        switch edit {
        case .move: return
        case .write(let character):
            guard text.utf8.count + character.utf8.count <= Self.sizeLimit else { return }
            text.append(character)
        case .erase: _ = text.popLast()
        case .eraseAll: text = ""
        }
        typed = Secret(text)
    }

    /// What is to be checked, or `nil` while a check is under way, and during the wait after a
    /// wrong one.
    mutating func submit(at now: Instant) -> Secret? {
        guard !isChecking, opensAgainAt.map({ $0 <= now }) ?? true else { return nil }
        guard opener == .keyring || !typed.isEmpty else { return nil }
        isChecking = true
        problem = nil
        defer { typed = Secret("") }
        return typed
    }

    /// The check failed.
    ///
    /// - Parameters:
    ///   - problem: Why it could not be made, or `nil` for a wrong passphrase, after each of which
    ///     the wait is twice as long.
    ///   - now: When it ended.
    mutating func refuse(_ problem: String?, at now: Instant) {
        isChecking = false
        self.problem = problem
        guard problem == nil else { return }
        wrongTries += 1
        let wait = min(Self.longestWait, Double(1 << min(wrongTries - 1, 6)))
        opensAgainAt = now.advanced(bySeconds: wait)
    }
}
