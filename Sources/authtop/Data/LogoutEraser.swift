import Client
import Model
import Platform
import Profiles

/// Erases the data of a watched profile after a logout.
struct LogoutEraser {
    private let localData: ProfileData
    /// Whether there was no login since the last logout.
    private var isLoggedOut = false

    init(_ localData: ProfileData) {
        self.localData = localData
    }

    /// Returns what to erase now, or `nil` if nothing.
    ///
    /// It also does so when a pending logout was sent, because of the record.
    mutating func observe(_ event: SessionEvent) -> LogoutEraser? {
        if let ended = event.kind as? SignedOut {
            guard ended.reason == .user || ended.reason == .everywhere else { return nil }
            isLoggedOut = true
            return self
        }
        if let change = event.kind as? RevocationChanged {
            guard change.phase == .done || change.phase == .expired else { return nil }
            return isLoggedOut ? self : nil
        }
        if event.kind is LoginStarted || event.kind is TokensIssued { isLoggedOut = false }
        return nil
    }

    /// Erases the data, and returns a message.
    func erase() async -> String {
        do throws(VaultProblem) {
            return Self.message(left: try await localData.eraseAfterLogout(whileWatched: true))
        } catch {
            return "some of the session's local data was not erased: \(error.message)"
        }
    }

    static func message(left: [String]) -> String {
        let erased = "the session's local data was erased, as the profile requires"
        return left.isEmpty ? erased : "\(erased); left: \(left.joined(separator: ", "))"
    }
}

extension ChosenProfile {
    /// Erases the other data of a session after its logout, if the profile requires it.
    ///
    /// - Returns: A message about the outcome, or `nil` if the data is kept.
    func eraseAfterLogout() async -> String? {
        guard dialect.policy.erasesOnLogout else { return nil }
        do throws(VaultProblem) {
            return LogoutEraser.message(
                left: try await localData.eraseAfterLogout(whileWatched: false)
            )
        } catch {
            return "some of the session's local data was not erased: \(error.message)"
        }
    }
}
