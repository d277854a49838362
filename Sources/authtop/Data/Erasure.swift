import Basics
import Client
import FoundationEssentials
import Model
import Platform
import Profiles
import UI

/// Ends one stored session at the backend if possible, and erases its local data in any case.
struct Erasure {
    let stored: StoredProfile
    let environment: LiveEnvironment

    /// Erases the data, and prints the outcome.
    ///
    /// - Returns: Whether the backend was notified as far as it can be.
    /// - Throws: `CommandFailure` if the record could not be erased.
    func run() async throws -> Bool {
        let before = await stored.record()
        let message = await revoke(before)
        let after = try? await stored.record().get()
        let now = environment.time.moment.wall
        let unrevoked = (after.map(UnrevokedToken.ofPendingLogouts) ?? []).filter {
            !$0.isOver(at: now)
        }
        // If no request can identify the session, no logout is pending, but the token stays valid.
        let isNamed = stored.chosen?.dialect.namesSession(in: .this) ?? true
        let isEnded = after.map { $0.pair == nil } ?? false
        let held = isEnded && isNamed ? nil : (try? before.get()).flatMap(UnrevokedToken.ofSession)
        let stillValid = [held].compactMap(\.self).filter { !$0.isOver(at: now) }
        let files = stored.localData.files.count
        let users = stored.localData.users.count
        var left = try await eraseLocalData()
        if users > 0 {
            let sessions = CountFormatter.count(users, "session")
            left.append("at the backend: \(sessions) of users, erased here and not ended there")
        }
        print(message, files - stored.localData.files.count, unrevoked + stillValid, left)
        // The backend was not notified of what was in an unreadable record.
        guard case .success = before, users == 0 else { return false }
        return unrevoked.isEmpty && (stillValid.isEmpty || !isNamed)
    }

    /// Notifies the backend, and returns the outcome, which never prevents erasing.
    private func revoke(_ record: Result<VaultRecord?, VaultProblem>) async -> String {
        switch record {
        case .failure(let problem): return "logout not sent: \(problem.message)"
        case .success(nil): return "no session is stored"
        case .success(.some):
            guard let chosen = stored.chosen else {
                return "logout not sent: the profile cannot be used"
            }
            do {
                return try await chosen.revokeAtBackend(
                    endingSession: true,
                    in: environment
                )
            } catch let failure as CommandFailure {
                return "logout not sent: \(failure.message)"
            } catch {
                return "logout not sent: \(error)"
            }
        }
    }

    private func eraseLocalData() async throws -> [String] {
        do throws(VaultProblem) {
            return try await stored.localData.eraseAll()
        } catch {
            throw CommandFailure(
                .unreachable,
                "\(stored.location.profile): not erased: \(error.message)"
            )
        }
    }

    private func print(
        _ message: String,
        _ count: Int,
        _ unrevoked: [UnrevokedToken],
        _ left: [String]
    ) {
        let fingerprinter = environment.fingerprinter()
        let clock = ClockFormatter(utcOffsetSeconds: environment.utcOffsetSeconds)
        let now = environment.time.moment.wall
        var rows = TextRows()
        rows.add("backend", "\(stored.location.baseURL): \(message)")
        for token in unrevoked {
            rows.add("not revoked", token.message(fingerprinter, now: now, clock))
        }
        for line in left { rows.add("left", line) }
        let erased = "\(stored.location.profile): erased, \(CountFormatter.count(count, "file"))"
        for line in [erased] + rows.lines where !StandardOutput.write(line) { return }
    }
}

/// A token that the backend still accepts although it is erased locally.
struct UnrevokedToken: Hashable {
    let secret: Secret
    /// When the backend rejects it, or `nil` if that is unknown.
    let until: Date?

    /// Returns the tokens of pending logouts.
    static func ofPendingLogouts(in record: VaultRecord) -> [UnrevokedToken] {
        record.outbox.compactMap { entry in
            (entry.refresh?.secret ?? entry.access?.secret).map {
                UnrevokedToken(secret: $0, until: entry.expiresAt)
            }
        }
    }

    /// Returns the token that keeps the session alive.
    static func ofSession(in record: VaultRecord) -> UnrevokedToken? {
        guard let pair = record.pair else { return nil }
        let times = pair.times
        guard let refresh = pair.tokens.refresh else {
            let end = times.access.map { times.issuedAt.addingTimeInterval($0.seconds) }
            return UnrevokedToken(secret: pair.tokens.access.secret, until: end)
        }
        let end = times.refresh.map { times.refreshIssuedAt.addingTimeInterval($0.seconds) }
        return UnrevokedToken(secret: refresh.secret, until: end)
    }

    func isOver(at now: Date) -> Bool { until.map { $0 <= now } ?? false }

    /// Returns a message for the user.
    func message(_ fingerprinter: Fingerprinter, now: Date, _ clock: ClockFormatter) -> String {
        let end = until.map { "until \(clock.when($0, now: now))" } ?? "for an unknown time"
        return "\(fingerprinter.fingerprint(of: secret)) is accepted by the backend \(end)"
    }
}
