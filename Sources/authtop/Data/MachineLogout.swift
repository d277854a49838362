import Basics
import Client
import Model
import Observer
import Platform
import Profiles
import UI

/// Ends every session that is stored on this machine.
struct MachineLogout {
    private let sessions: [StoredProfile]
    /// The records in a credential helper whose profiles are unknown.
    private let unknown: [String]
    private let log: EventLog?
    private let environment: LiveEnvironment

    /// Finds the stored sessions.
    ///
    /// - Parameters:
    ///   - connection: The options that apply to each of them, such as the certificates to trust.
    ///   - log: The log, or `nil` for none.
    ///   - environment: The environment.
    /// - Throws: `CommandFailure` if there are none.
    init(
        of connection: ConnectionOptions,
        log: EventLog?,
        in environment: LiveEnvironment
    ) async throws {
        let places = StoredVaults(folder: try environment.stateFolder)
        var found: [StoredProfile] = []
        for location in places.locations {
            found.append(
                try await connection.stored(
                    at: location,
                    named: location.profile,
                    in: environment
                )
            )
        }
        // A helper's record can be found only through its profile, which must name the helper.
        var stamps = places.helperStamps
        for entry in environment.catalogue.entries {
            guard
                let chosen = try? await connection.profile(named: entry.name, in: environment)
            else { continue }
            let own = stamps.filter { $0.begins(with: "\(chosen.localData.location.stem).") }
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

    /// The question to confirm.
    var question: String {
        let count = CountFormatter.count(sessions.count, "session")
        let names = sessions.map { "\($0.location.profile) at \($0.location.baseURL)" }
        return "\(count) will be ended: \(names.joined(separator: ", "))."
    }

    /// Ends the sessions one after the other, even if some fail, and prints a line for each.
    ///
    /// - Parameters:
    ///   - json: Whether each line is a JSON object.
    ///   - browser: The way to end the providers' own sessions.
    /// - Returns: Whether all have ended.
    func run(json: Bool, thenIn browser: BrowserOptions) async -> Bool {
        var isWhole = true
        for stored in sessions {
            let (isEnded, message) = await end(stored, thenIn: browser)
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
                "a record in a credential helper without a known profile: log out by name"
            let object: JSONValue = [
                "file": .string(name), "loggedOut": false, "message": .string(message),
            ]
            _ = StandardOutput.write(json ? object.serialized : "\(name): \(message)")
        }
        return isWhole
    }

    private func end(
        _ stored: StoredProfile,
        thenIn browser: BrowserOptions
    ) async -> (isEnded: Bool, message: String) {
        let prefix = "\(stored.location.profile): "
        do {
            guard let chosen = stored.chosen else {
                _ = try await stored.localData.vault.erase(if: nil)
                return (
                    false,
                    "erased here; logout not sent: the profile cannot be used"
                )
            }
            let run = OperationRun(
                chosen: chosen,
                credentials: try await chosen.credentialsOfLogout(),
                printsEvents: false,
                log: log,
                environment: environment
            )
            let message = try await run.logOut(.this, thenIn: browser)?.value ?? ""
            let more = await chosen.eraseAfterLogout().map { "; \($0)" } ?? ""
            return (true, message + more)
        } catch let failure as CommandFailure {
            let message = failure.message
            return (
                false,
                message.begins(with: prefix) ? String(message.dropFirst(prefix.count)) : message
            )
        } catch let problem as VaultProblem {
            return (false, "not erased: \(problem.message)")
        } catch {
            return (false, "\(error)")
        }
    }
}

extension StoredProfile {
    /// Returns whether the record may contain a session; one that cannot be read may.
    fileprivate func mayHoldSession() async -> Bool {
        guard case .success(let record) = await record() else { return true }
        return record?.pair != nil
    }
}
