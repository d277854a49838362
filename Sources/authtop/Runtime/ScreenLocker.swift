import Dashboard
import Lifecycle
import Sessions
import Tokens
import Vaults

/// What can open a locked screen here.
struct ScreenLocker: Sendable {
    /// What a person is told where nothing can.
    static let advice =
        "nothing could open it again: run `authtop lock --passphrase` first"

    /// Nil without a home folder.
    private let passphrase: PassphraseFile?
    /// Where the vault's key is in it.
    private let keyring: KeyringLock?

    /// - Parameters:
    ///   - vaults: Whose keys a keyring may have; empty: any vault of this user.
    ///   - environment: The world.
    init(vaults: [any Vault], in environment: LiveEnvironment) {
        passphrase = (try? environment.stateFolder).map { PassphraseFile(folder: $0) }
        let usesKeyring =
            vaults.isEmpty
            || vaults.contains { ($0 as? SealedVault)?.isKeyInSecretService == true }
        keyring =
            usesKeyring
            ? KeyringLock(variables: environment.variables, time: environment.time) : nil
    }

    /// The passphrase if one is set, else the keyring, or `nil` if there is neither.
    func key() async throws(VaultProblem) -> ScreenKey? {
        if let passphrase = try passphrase?.read() { return .passphrase(passphrase) }
        guard let keyring, await keyring.hasKey() else { return nil }
        return .keyring(keyring)
    }
}

/// What opens a screen that is locked.
enum ScreenKey: Sendable {
    case passphrase(Passphrase)
    case keyring(KeyringLock)

    var opener: ScreenLock.Opener {
        switch self {
        case .passphrase: .passphrase
        case .keyring: .keyring
        }
    }

    /// Sees to it that nobody gets in without it.
    func close() async throws(VaultProblem) {
        if case .keyring(let keyring) = self { try await keyring.close() }
    }

    /// What becomes of a screen for which this was typed.
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
    /// Fails where the screen is to lock by itself, and nothing could open it again.
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
