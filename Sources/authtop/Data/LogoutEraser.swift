import Dialects
import Lifecycle
import Vaults

/// Erases what is kept of a profile once somebody has logged out, while the profile is watched.
struct LogoutEraser {
    private let localData: ProfileData
    /// Nobody has logged in since the last logout.
    private var isLoggedOut = false

    init(_ localData: ProfileData) {
        self.localData = localData
    }

    /// What is to erase now; `nil`: nothing.
    ///
    /// Again when the backend was told of the logout later, for the record's sake.
    mutating func note(_ event: SessionEvent) -> LogoutEraser? {
        switch event.kind {
        case .signedOut(.user), .signedOut(.everywhere):
            isLoggedOut = true
            return self
        case .revocation(.done), .revocation(.expired): return isLoggedOut ? self : nil
        case .loginStarted, .tokensIssued: isLoggedOut = false
        default: break
        }
        return nil
    }

    /// Does it, and says so.
    func erase() async -> String {
        do throws(VaultProblem) {
            return Self.message(left: try await localData.eraseAfterLogout(whileWatched: true))
        } catch {
            return "not all that is kept of the session was erased: \(error.message)"
        }
    }

    static func message(left: [String]) -> String {
        let erased = "what was kept of the session is erased, as the profile says"
        return left.isEmpty ? erased : "\(erased); left: \(left.joined(separator: ", "))"
    }
}

extension ChosenProfile {
    /// Erases what is kept beside the session that was logged out of, where the profile says so.
    ///
    /// - Returns: What became of that, as text; `nil`: it stays.
    func eraseAfterLogout() async -> String? {
        guard dialect.policy.erasesOnLogout else { return nil }
        do throws(VaultProblem) {
            return LogoutEraser.message(
                left: try await localData.eraseAfterLogout(whileWatched: false)
            )
        } catch {
            return "not all that is kept of the session was erased: \(error.message)"
        }
    }
}
