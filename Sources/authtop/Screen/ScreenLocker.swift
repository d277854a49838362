import Basics
import Client
import Model
import Observer
import Platform
import UI

/// The ways to unlock a locked screen.
struct ScreenLocker: Sendable {
    /// The message if there is no way.
    static let advice =
        "nothing could unlock it: run `authtop lock --passphrase` first"

    /// The vaults whose keys a keyring may have; if empty, any vault of this user.
    let vaults: [any Vault]
    let environment: LiveEnvironment

    /// Returns the passphrase if one is set, else the keyring, or `nil` if there is neither.
    func key() async throws(VaultProblem) -> ScreenKey? {
        if let passphrase = try passphraseFile?.read() { return .passphrase(passphrase) }
        guard usesKeyring,
            let keyring = KeyringLock(variables: environment.variables, time: environment.time),
            await keyring.hasKey()
        else { return nil }
        return .keyring(keyring)
    }

    /// The passphrase file, or `nil` without a home folder.
    private var passphraseFile: PassphraseFile? {
        (try? environment.stateFolder).map { PassphraseFile(folder: $0) }
    }

    private var usesKeyring: Bool {
        vaults.isEmpty || vaults.contains { ($0 as? SealedVault)?.isKeyInSecretService == true }
    }
}

/// The key of a locked screen.
enum ScreenKey: Sendable {
    case passphrase(Passphrase)
    case keyring(KeyringLock)

    var opener: ScreenLock.Opener {
        switch self {
        case .passphrase: .passphrase
        case .keyring: .keyring
        }
    }

    /// Locks the keyring, so that the screen cannot be unlocked without it.
    func close() async throws(VaultProblem) {
        if case .keyring(let keyring) = self { try await keyring.close() }
    }

    /// Returns the message for the dashboard after this input was typed.
    func answer(to typed: Secret) async -> DashboardMessage {
        do throws(VaultProblem) {
            switch self {
            case .passphrase(let passphrase):
                return try await passphrase.matches(typed) ? .unlocked : .unlockRefused(nil)
            case .keyring(let keyring):
                return try await keyring.open()
                    ? .unlocked : .unlockRefused("the keyring was not opened")
            }
        } catch {
            return .unlockRefused(error.message)
        }
    }
}

extension SessionRun {
    /// Fails if the screen would lock automatically, and nothing could unlock it.
    func checkKey(of locker: ScreenLocker) async throws {
        let option = display.lockAfter == nil ? "lock_after in the profile" : "--lock-after"
        do throws(VaultProblem) {
            if try await locker.key() != nil { return }
        } catch {
            throw CommandFailure(.unreachable, "\(option): \(error.message)")
        }
        throw CommandFailure(.badInput, "\(option): \(ScreenLocker.advice)")
    }
}
