package import FoundationEssentials
package import Lifecycle
package import Sessions

/// Everything that is kept of one profile on one backend.
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

    /// The files of the state folder that bear its name, in order.
    package var files: [String] {
        guard let opened = try? PrivateFolder.open(location.folder) else { return [] }
        return opened.names.filter { Self.isFile($0, of: location) }.map {
            "\(location.folder)/\($0)"
        }
    }

    /// Removes what is older than it may become; never a session that lives.
    ///
    /// What cannot be removed is left for the next time: nothing depends on it.
    package func sweep(by retention: Retention, at now: Date) async {
        _ = try? await vault.erase { retention.isOver($0, at: now) }
        sweepLogs(by: retention, at: now)
        guard let opened = try? PrivateFolder.open(location.folder) else { return }
        for name in opened.names where Self.isDataFile(name, of: location) {
            // A log that is written every day was noted long ago.
            if name.hasSuffix(LogRegister.suffix), !logs.paths.isEmpty { continue }
            guard let writtenAt = opened.writtenAt(name), retention.isOver(writtenAt, at: now)
            else {
                continue
            }
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

    /// Removes all of it, the session's record first.
    ///
    /// - Returns: What is left and why, a line each.
    /// - Throws: When the record cannot be removed; then nothing else is.
    package func forget() async throws(VaultProblem) -> [String] {
        _ = try await vault.erase(if: nil)
        let left = clearLogs(keepingFiles: false)
        guard let opened = try PrivateFolder.open(location.folder) else { return left }
        for name in opened.names where Self.isDataFile(name, of: location) {
            try opened.remove(name)
        }
        return left + files.map { "\($0): in use by another process" }
    }

    /// Removes what a session leaves that was logged out of: statistics, the lines of logs, the
    /// history of requests, and the record once nothing in it is owed to the backend.
    ///
    /// - Parameter isWatched: Whether a program goes on writing to the logs: then their files stay.
    /// - Returns: What is left and why, a line each.
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
            if isWatched, name.hasSuffix(LogRegister.suffix) { continue }
            try opened.remove(name)
        }
        return left
    }

    /// Removes the record of a session that is over, and of which nothing is owed to the backend.
    ///
    /// - Returns: Whether it was there.
    @discardableResult
    package func eraseEndedRecord() async throws(VaultProblem) -> Bool {
        try await vault.erase { $0.pair == nil && $0.outbox.isEmpty }
    }

    private func hasRecord() async -> Bool { (try? await vault.load()) != nil }

    private func clearLogs(keepingFiles: Bool) -> [String] {
        logs.paths.compactMap { path in
            switch ProfileLog(path: path).clear(of: location.profile, keepingFile: keepingFiles) {
            case .removed: nil
            case .shortened: keepingFiles ? nil : "\(path): only what is of others"
            case .left(let message): "\(path): \(message)"
            }
        }
    }

    private static func isFile(_ name: String, of location: VaultLocation) -> Bool {
        name.hasPrefix("\(location.stem).") || name.hasPrefix(".\(location.stem).")
    }

    /// What is beside the record, and drafts that somebody left who was stopped while writing.
    private static func isDataFile(_ name: String, of location: VaultLocation) -> Bool {
        isFile(name, of: location)
            && (name.hasPrefix(".") || name.hasSuffix(StatisticsFile.suffix)
                || name.hasSuffix(LogRegister.suffix) || name.hasSuffix(RequestsFile.suffix))
    }
}

/// How long what was written of a profile is kept, when nobody uses it.
package struct Retention: Sendable, Hashable {
    /// 30 days, in seconds.
    package static let usual = 2_592_000.0

    private let keep: Double

    /// - Parameter keep: In seconds.
    package init(keep: Double = usual) {
        self.keep = keep
    }

    /// Whether something written then is to go; what the clock puts into the future is not.
    package func isOver(_ writtenAt: Date, at now: Date) -> Bool {
        now.timeIntervalSince(writtenAt) > keep
    }

    /// Whether a record is to go: only what a session left that is over, and of which nothing is
    /// owed to the backend.
    package func isOver(_ record: VaultRecord, at now: Date) -> Bool {
        record.pair == nil && record.outbox.isEmpty && isOver(record.savedAt, at: now)
    }
}
