import Basics

/// Hides the screen until it is unlocked.
///
/// The session continues. The passphrase is checked outside the dashboard, where the hash is.
package struct ScreenLock: Sendable, Equatable {
    /// The secret that opens it.
    package enum Opener: Sendable, Hashable {
        case passphrase
        /// The keyring with the vault's key, which has its own prompt.
        case keyring
    }

    /// The longest passphrase, in UTF-8 bytes.
    package static let sizeLimit = 1024
    /// The longest wait after a wrong passphrase, in seconds.
    private static let longestWait = 60.0

    let opener: Opener
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

    /// Returns the passphrase to check, or `nil` during a check, and during the wait after a wrong
    /// one.
    mutating func submit(at now: Instant) -> Secret? {
        guard !isChecking, opensAgainAt.map({ $0 <= now }) ?? true else { return nil }
        guard opener == .keyring || !typed.isEmpty else { return nil }
        isChecking = true
        problem = nil
        defer { typed = Secret("") }
        return typed
    }

    /// Reports that the check failed.
    ///
    /// - Parameters:
    ///   - problem: Why the check was not possible, or `nil` for a wrong passphrase, each of which
    ///     doubles the wait.
    ///   - now: The time of its end.
    mutating func refuse(_ problem: String?, at now: Instant) {
        isChecking = false
        self.problem = problem
        guard problem == nil else { return }
        wrongTries += 1
        let wait = min(Self.longestWait, Double(1 << min(wrongTries - 1, 6)))
        opensAgainAt = now.advanced(bySeconds: wait)
    }
}
