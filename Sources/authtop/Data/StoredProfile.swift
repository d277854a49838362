import Dialects
import Lifecycle
import Sessions
import Vaults

/// What is kept under a profile's name for one backend, whether or not the profile is still there.
struct StoredProfile {
    let localData: ProfileData
    /// The profile as it is now, or `nil` if it cannot be used.
    let chosen: ChosenProfile?

    var location: VaultLocation { localData.location }

    /// The record, or why it cannot be read.
    func record() async -> Result<VaultRecord?, VaultProblem> { await localData.vault.record() }
}

extension ProfileOptions {
    /// Everything that is kept under the name, of all backends unless one is given.
    ///
    /// - Parameter environment: The world.
    /// - Returns: At least one, each with something.
    /// - Throws: `CommandFailure` where there is nothing.
    func storedProfiles(in environment: LiveEnvironment) throws -> [StoredProfile] {
        var found: [StoredProfile] = []
        var name = profile.split(separator: "/").last.map(String.init) ?? profile
        if name.hasSuffix(".toml") { name = String(name.dropLast(5)) }
        try connection.vault.check()
        var problem: CommandFailure?
        do {
            let chosen = try profile(in: environment)
            name = chosen.name
            if !(chosen.vault is MemoryVault) {
                found.append(StoredProfile(localData: chosen.localData, chosen: chosen))
            }
        } catch let failure as CommandFailure {
            // Where its vault is out of reach, nobody knows what is kept there.
            guard failure.exit != .unreachable else { throw failure }
            // A profile that cannot be used, or is there no more, has left what it left all the
            // same.
            problem = failure
        }
        let wanted = connection.baseURL.map { found.first?.location.baseURL ?? $0 }
        let locations = StoredVaults(folder: try environment.stateFolder).locations(of: name)
        for location in locations where wanted == nil || location.baseURL == wanted {
            let isFound = found.contains {
                $0.location == location && $0.localData.vault.isFile(of: location)
            }
            if !isFound {
                found.append(try connection.stored(at: location, named: profile, in: environment))
            }
        }
        found.removeAll { $0.localData.files.isEmpty }
        guard !found.isEmpty else {
            let reason = problem.map { "; \($0.message)" } ?? ""
            throw CommandFailure(.notSo, "nothing is kept of \(name)\(reason)")
        }
        return found
    }

}

extension ConnectionOptions {
    /// A record in a file, with the profile where it is one that can reach that backend.
    ///
    /// - Parameters:
    ///   - location: Where it is.
    ///   - name: The profile, as a person names it.
    ///   - environment: The world.
    /// - Returns: What is kept there.
    /// - Throws: `CommandFailure` if its vault is out of reach.
    func stored(
        at location: VaultLocation,
        named name: String,
        in environment: LiveEnvironment
    ) throws -> StoredProfile {
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
        let chosen = try? options.profile(named: name, in: environment)
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

    /// What it holds, or why that is not known.
    func record() async -> Result<VaultRecord?, VaultProblem> {
        do throws(VaultProblem) {
            return .success(try await load())
        } catch {
            return .failure(error)
        }
    }
}
