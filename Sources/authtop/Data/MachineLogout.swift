import Dashboard
import Dialects
import Lifecycle
import Sessions
import Tokens
import Vaults

/// Ends every session that is stored here, whosever it is.
struct MachineLogout {
    private let sessions: [StoredProfile]
    /// Records that a credential helper has, of which nobody knows the profile.
    private let unknown: [String]
    private let log: EventLog?
    private let environment: LiveEnvironment

    /// Finds them.
    ///
    /// - Parameters:
    ///   - connection: What holds for each of them, such as the certificates to trust.
    ///   - log: Where what happens is written down; `nil`: nowhere.
    ///   - environment: The world.
    /// - Throws: `CommandFailure` where there is none.
    init(
        of connection: ConnectionOptions,
        log: EventLog?,
        in environment: LiveEnvironment
    ) async throws {
        let places = StoredVaults(folder: try environment.stateFolder)
        var found = try places.locations.map {
            try connection.stored(at: $0, named: $0.profile, in: environment)
        }
        // A helper's record is found by its profile alone, which has to name the helper.
        var stamps = places.helperStamps
        for entry in environment.catalogue.entries {
            guard let chosen = try? connection.profile(named: entry.name, in: environment) else {
                continue
            }
            let own = stamps.filter { $0.hasPrefix("\(chosen.localData.location.stem).") }
            guard !own.isEmpty else { continue }
            stamps.removeAll { own.contains($0) }
            found.append(StoredProfile(localData: chosen.localData, chosen: chosen))
        }
        var sessions: [StoredProfile] = []
        for stored in found where await stored.mayHoldSession() { sessions.append(stored) }
        guard !sessions.isEmpty || !stamps.isEmpty else {
            throw CommandFailure(.notSo, "no session is stored here")
        }
        self.sessions = sessions
        unknown = stamps
        self.log = log
        self.environment = environment
    }

    /// What a person is asked first.
    var question: String {
        let count = CountFormatter.count(sessions.count, "session")
        let names = sessions.map { "\($0.location.profile) at \($0.location.baseURL)" }
        return "\(count) will be ended: \(names.joined(separator: ", "))."
    }

    /// Ends one after the other, whatever becomes of it, and prints a line for each.
    ///
    /// - Parameter json: Whether each line is an object.
    /// - Returns: Whether all are ended.
    func run(json: Bool) async -> Bool {
        var isWhole = true
        for stored in sessions {
            let (isEnded, message) = await end(stored)
            isWhole = isWhole && isEnded
            let location = stored.location
            let line = "\(location.profile) at \(location.baseURL): \(message)"
            let object: JSONValue = [
                "profile": .string(location.profile), "baseURL": .string(location.baseURL),
                "loggedOut": .bool(isEnded), "message": .string(message),
            ]
            _ = StandardOutput.write(json ? object.serialized : line)
        }
        for name in unknown {
            isWhole = false
            let message =
                "a record in a credential helper, of which no profile tells: log out by name"
            let object: JSONValue = [
                "file": .string(name), "loggedOut": false, "message": .string(message),
            ]
            _ = StandardOutput.write(json ? object.serialized : "\(name): \(message)")
        }
        return isWhole
    }

    private func end(_ stored: StoredProfile) async -> (isEnded: Bool, message: String) {
        let prefix = "\(stored.location.profile): "
        do {
            guard let chosen = stored.chosen else {
                _ = try await stored.localData.vault.erase(if: nil)
                return (
                    false,
                    "erased here; the backend was logout not sent: the profile cannot be used"
                )
            }
            // Nobody is asked, and no program is run, for what a logout does not need.
            let names = chosen.dialect.clientCredentials
            let run = OperationRun(
                chosen: chosen,
                credentials: try await chosen.credentials.findWithoutAsking(
                    chosen.dialect.credentials.filter { names.contains($0.name) }
                ),
                printsEvents: false,
                log: log,
                environment: environment
            )
            let message = try await run.message(
                of: LogoutOperation(profile: chosen.name, scope: .this)
            )
            let more = await chosen.eraseAfterLogout().map { "; \($0)" } ?? ""
            return (true, message + more)
        } catch let failure as CommandFailure {
            let message = failure.message
            return (
                false, message.hasPrefix(prefix) ? String(message.dropFirst(prefix.count)) : message
            )
        } catch let problem as VaultProblem {
            return (false, "not erased: \(problem.message)")
        } catch {
            return (false, "\(error)")
        }
    }
}

extension StoredProfile {
    /// What cannot be read may hold one.
    fileprivate func mayHoldSession() async -> Bool {
        guard case .success(let record) = await record() else { return true }
        return record?.pair != nil
    }
}
