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
    ///   - log: Where what happens is written down; nil: nowhere.
    ///   - environment: The world.
    /// - Throws: `CommandFailure` where there is none.
    init(
        of connection: ConnectionOptions,
        log: EventLog?,
        in environment: LiveEnvironment
    ) async throws {
        let places = StoredSites(folder: try environment.stateFolder)
        var found = try places.sites.map {
            try connection.stored(at: $0, named: $0.profile, in: environment)
        }
        // A helper's record is found by its profile alone, which has to name the helper.
        var stamps = places.helperStamps
        for entry in environment.catalogue.entries {
            guard let chosen = try? connection.profile(named: entry.name, in: environment) else {
                continue
            }
            let own = stamps.filter { $0.hasPrefix("\(chosen.traces.site.stem).") }
            guard !own.isEmpty else { continue }
            stamps.removeAll { own.contains($0) }
            found.append(StoredProfile(traces: chosen.traces, chosen: chosen))
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
        let count = CountWords.count(sessions.count, "session")
        let names = sessions.map { "\($0.site.profile) at \($0.site.baseURL)" }
        return "\(count) will be ended: \(names.joined(separator: ", "))."
    }

    /// Ends one after the other, whatever becomes of it, and prints a line for each.
    ///
    /// - Parameter json: Whether each line is an object.
    /// - Returns: Whether all are ended.
    func run(json: Bool) async -> Bool {
        var isWhole = true
        for stored in sessions {
            let (isEnded, words) = await end(stored)
            isWhole = isWhole && isEnded
            let site = stored.site
            let line = "\(site.profile) at \(site.baseURL): \(words)"
            let object: JSONValue = [
                "profile": .string(site.profile), "baseURL": .string(site.baseURL),
                "loggedOut": .bool(isEnded), "message": .string(words),
            ]
            _ = StandardOutput.write(json ? object.serialized : line)
        }
        for name in unknown {
            isWhole = false
            let words =
                "a record in a credential helper, of which no profile tells: log out by name"
            let object: JSONValue = [
                "file": .string(name), "loggedOut": false, "message": .string(words),
            ]
            _ = StandardOutput.write(json ? object.serialized : "\(name): \(words)")
        }
        return isWhole
    }

    private func end(_ stored: StoredProfile) async -> (isEnded: Bool, words: String) {
        let prefix = "\(stored.site.profile): "
        do {
            guard let chosen = stored.chosen else {
                _ = try await stored.traces.vault.erase(if: nil)
                return (false, "erased here; the backend was not told: the profile cannot be used")
            }
            // Nobody is asked, and no program is run, for what a logout does not need.
            let names = chosen.dialect.clientCredentials
            let run = ActRun(
                chosen: chosen,
                credentials: try await chosen.credentials.findWithoutAsking(
                    chosen.dialect.credentials.filter { names.contains($0.name) }
                ),
                printsEvents: false,
                log: log,
                environment: environment
            )
            let words = try await run.words(of: LogoutAct(profile: chosen.name, scope: .this))
            let more = await chosen.eraseAfterLogout().map { "; \($0)" } ?? ""
            return (true, words + more)
        } catch let failure as CommandFailure {
            let words = failure.words
            return (
                false, words.hasPrefix(prefix) ? String(words.dropFirst(prefix.count)) : words
            )
        } catch let problem as VaultProblem {
            return (false, "not erased: \(problem.words)")
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
