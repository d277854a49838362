import Basics
package import Client
package import FoundationEssentials
package import Model

/// Everything that is stored locally for one profile and backend.
package struct ProfileData: Sendable {
    package let location: VaultLocation
    package let vault: any Vault

    package init(location: VaultLocation, vault: any Vault) {
        self.location = location
        self.vault = vault
    }

    package var statistics: StatisticsFile { StatisticsFile(location) }
    package var logs: LogRegister { LogRegister(location) }
    package var requests: RequestsFile { RequestsFile(location) }
    /// The records of the users of the profile.
    package var users: UserRecords { UserRecords(of: location) }

    /// The profile's files in the state folder, in order.
    package var files: [String] {
        guard let opened = try? PrivateFolder.open(location.folder) else { return [] }
        let metadata = ProviderFile.names(of: location.profile, in: opened)
        return opened.names.filter { Self.isFile($0, of: location) || metadata.contains($0) }
            .map { "\(location.folder)/\($0)" }
    }

    /// Removes the data that is older than the retention period, but never a live session.
    ///
    /// Whatever cannot be removed is left for the next time, since nothing depends on it.
    package func sweep(by retention: Retention, at now: Date) async {
        _ = try? await vault.erase { retention.isOver($0, at: now) }
        sweepLogs(by: retention, at: now)
        guard let opened = try? PrivateFolder.open(location.folder) else { return }
        for name in opened.names where Self.isDataFile(name, of: location) {
            // A log that is written every day may have been registered long ago.
            if name.ends(with: LogRegister.suffix), !logs.paths.isEmpty { continue }
            guard let writtenAt = opened.writtenAt(name), retention.isOver(writtenAt, at: now)
            else {
                continue
            }
            try? opened.remove(name)
        }
        for name in ProviderFile.names(of: location.profile, in: opened) {
            guard let writtenAt = opened.writtenAt(name), retention.isOver(writtenAt, at: now)
            else { continue }
            try? opened.remove(name)
        }
    }

    private func sweepLogs(by retention: Retention, at now: Date) {
        let known = logs.paths
        let kept = known.filter { path in
            let log = ProfileLog(path: path)
            guard let writtenAt = log.writtenAt else { return false }
            guard retention.isOver(writtenAt, at: now) else { return true }
            if case .left = log.clear(of: location.profile) { return true }
            return false
        }
        if kept.count < known.count { logs.write(kept) }
    }

    /// Removes all data, the session's record first.
    ///
    /// - Returns: The rest and its reasons, one line each.
    /// - Throws: If the record cannot be removed; then nothing else is removed.
    package func eraseAll() async throws(VaultProblem) -> [String] {
        _ = try await vault.erase(if: nil)
        let left = clearLogs(keepingFiles: false)
        guard let opened = try PrivateFolder.open(location.folder) else { return left }
        for name in opened.names where Self.isDataFile(name, of: location) {
            try opened.remove(name)
        }
        for name in ProviderFile.names(of: location.profile, in: opened) {
            try opened.remove(name)
        }
        try users.erase()
        return left + files.map { "\($0): in use by another process" }
    }

    /// Removes the data of a session after its logout: statistics, log lines, the history of
    /// requests, and the record unless a revocation is pending.
    ///
    /// - Parameter isWatched: Whether a program continues to write to the logs, so that their files
    ///   must stay.
    /// - Returns: The rest and its reasons, one line each.
    /// - Throws: If a file cannot be removed.
    package func eraseAfterLogout(whileWatched isWatched: Bool) async throws(VaultProblem)
        -> [String]
    {
        var left = clearLogs(keepingFiles: isWatched)
        if try await !eraseEndedRecord(), await hasRecord() {
            left.append("the record, until the backend was notified of the logout")
        }
        guard let opened = try PrivateFolder.open(location.folder) else { return left }
        for name in opened.names where Self.isDataFile(name, of: location) {
            if isWatched, name.ends(with: LogRegister.suffix) { continue }
            try opened.remove(name)
        }
        return left
    }

    /// Removes the record of a session that has ended and has no pending revocation.
    ///
    /// - Returns: Whether there is no record now.
    @discardableResult
    package func eraseEndedRecord() async throws(VaultProblem) -> Bool {
        try await vault.erase { $0.pair == nil && $0.outbox.isEmpty }
    }

    private func hasRecord() async -> Bool { (try? await vault.load()) != nil }

    private func clearLogs(keepingFiles: Bool) -> [String] {
        logs.paths.compactMap { path in
            switch ProfileLog(path: path).clear(of: location.profile, keepingFile: keepingFiles) {
            case .removed: nil
            case .shortened: keepingFiles ? nil : "\(path): only lines of other profiles"
            case .left(let message): "\(path): \(message)"
            }
        }
    }

    private static func isFile(_ name: String, of location: VaultLocation) -> Bool {
        name.begins(with: "\(location.stem).") || name.begins(with: ".\(location.stem).")
    }

    /// Returns whether the file lies beside the record, or is a temporary file that an interrupted
    /// write left.
    private static func isDataFile(_ name: String, of location: VaultLocation) -> Bool {
        isFile(name, of: location)
            && (name.begins(with: ".") || name.ends(with: StatisticsFile.suffix)
                || name.ends(with: LogRegister.suffix) || name.ends(with: RequestsFile.suffix))
    }
}

/// The time for which the data of a profile is kept while the profile is not used.
package struct Retention: Sendable, Hashable {
    /// The default, 30 days, in seconds.
    static let usual = 2_592_000.0

    private let keep: Double

    /// - Parameter keep: The retention period, in seconds.
    package init(keep: Double = usual) {
        self.keep = keep
    }

    /// Returns whether data that was written then has expired; data from the future has not.
    func isOver(_ writtenAt: Date, at now: Date) -> Bool {
        now.timeIntervalSince(writtenAt) > keep
    }

    /// Returns whether a record has expired: only one of a session that has ended and has no
    /// pending revocation can.
    func isOver(_ record: VaultRecord, at now: Date) -> Bool {
        record.pair == nil && record.outbox.isEmpty && isOver(record.savedAt, at: now)
    }
}
