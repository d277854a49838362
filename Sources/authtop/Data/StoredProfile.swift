import Basics
import Client
import Model
import Observer
import Platform
import Profiles

/// The data that is stored under a profile's name for one backend, whether or not the profile still
/// exists.
struct StoredProfile {
    let localData: ProfileData
    /// The current profile, or `nil` if it cannot be used.
    let chosen: ChosenProfile?

    var location: VaultLocation { localData.location }

    /// Returns the record, or why it cannot be read.
    func record() async -> Result<VaultRecord?, VaultProblem> { await localData.vault.record() }
}

extension ProfileOptions {
    /// Returns everything that is stored under the name, for all backends unless one is given.
    ///
    /// - Parameter environment: The environment.
    /// - Returns: At least one element, each with some data.
    /// - Throws: `CommandFailure` if there is none.
    func storedProfiles(in environment: LiveEnvironment) async throws -> [StoredProfile] {
        var found: [StoredProfile] = []
        var name = profile.parts(at: "/").last.map(String.init) ?? profile
        if name.ends(with: ".toml") { name = String(name.dropLast(5)) }
        try connection.vault.check()
        var problem: CommandFailure?
        do {
            let chosen = try await profile(in: environment)
            name = chosen.name
            if !(chosen.vault is MemoryVault) {
                found.append(StoredProfile(localData: chosen.localData, chosen: chosen))
            }
        } catch let failure as CommandFailure {
            // If its vault is unavailable, it is unknown what is stored there.
            guard failure.exit != .unreachable else { throw failure }
            // A profile that cannot be used, or no longer exists, may still have data.
            problem = failure
        }
        let wanted = connection.baseURL.map { found.first?.location.baseURL ?? $0 }
        let locations = StoredVaults(folder: try environment.stateFolder).locations(of: name)
        for location in locations where wanted == nil || location.baseURL == wanted {
            let isFound = found.contains {
                $0.location == location && $0.localData.vault.isFile(of: location)
            }
            if !isFound {
                found.append(
                    try await connection.stored(at: location, named: profile, in: environment)
                )
            }
        }
        found.removeAll { $0.localData.files.isEmpty }
        guard !found.isEmpty else {
            let reason = problem.map { "; \($0.message)" } ?? ""
            throw CommandFailure(.notSo, "nothing is stored for \(name)\(reason)")
        }
        return found
    }

}

extension ConnectionOptions {
    /// Returns the profiles of all stored sessions whose profile still exists.
    func storedSessions(in environment: LiveEnvironment) async throws -> [ChosenProfile] {
        var profiles: [ChosenProfile] = []
        for location in StoredVaults(folder: try environment.stateFolder).locations {
            let stored = try await stored(at: location, named: location.profile, in: environment)
            guard let chosen = stored.chosen, await chosen.mayHoldSession() else { continue }
            profiles.append(chosen)
        }
        return profiles
    }

    /// Returns a record in a file, with its profile if that can be used with the backend.
    ///
    /// - Parameters:
    ///   - location: The location of the record.
    ///   - name: The name of the profile, as the user writes it.
    ///   - environment: The environment.
    /// - Returns: The data that is stored there.
    /// - Throws: `CommandFailure` if its vault is unavailable.
    func stored(
        at location: VaultLocation,
        named name: String,
        in environment: LiveEnvironment
    ) async throws -> StoredProfile {
        var options = self
        options.baseURL = location.baseURL
        options.vault.vault = VaultKind.file.name
        let localData = ProfileData(
            location: location,
            vault: try options.vault.vault(
                for: location.profile,
                at: location.baseURL,
                usual: VaultKind.file.name,
                environment: environment
            )
        )
        let chosen = try? await options.profile(named: name, in: environment)
        return StoredProfile(
            localData: localData,
            chosen: chosen?.localData.location == location ? chosen : nil
        )
    }
}

extension Vault {
    fileprivate func isFile(of location: VaultLocation) -> Bool {
        storageLocation?.record == location.recordPath
    }

    /// Returns the record, or why it cannot be read.
    func record() async -> Result<VaultRecord?, VaultProblem> {
        do throws(VaultProblem) {
            return .success(try await load())
        } catch {
            return .failure(error)
        }
    }
}
