import Dashboard
import Dialects
import FoundationEssentials
import Lifecycle
import Timekeeping
import Tokens
import Vaults

/// Ends one stored session where that can be done, and erases what is kept of it in any case.
struct Erasure {
    let stored: StoredProfile
    let environment: LiveEnvironment

    /// Does it, and prints what became of it.
    ///
    /// - Returns: Whether the backend knows all that it can be told.
    /// - Throws: `CommandFailure` where the record could not be erased.
    func run() async throws -> Bool {
        let before = await stored.record()
        let message = await revoke(before)
        let after = try? await stored.record().get()
        let now = environment.time.moment.wall
        let unrevoked = (after.map(UnrevokedToken.owed) ?? []).filter { !$0.isOver(at: now) }
        // Where no request can name the session, nothing is owed, and the token lives on all the
        // same.
        let isNamed = stored.chosen?.dialect.namesSession(in: .this) ?? true
        let isEnded = after.map { $0.pair == nil } ?? false
        let held = isEnded && isNamed ? nil : (try? before.get()).flatMap(UnrevokedToken.held)
        let unended = [held].compactMap(\.self).filter { !$0.isOver(at: now) }
        let files = stored.localData.files.count
        let left = try await forgotten()
        print(message, files - stored.localData.files.count, unrevoked + unended, left)
        // What was in a record that nobody could read, nobody was told of.
        guard case .success = before else { return false }
        return unrevoked.isEmpty && (unended.isEmpty || !isNamed)
    }

    /// Notifies the backend, and says what became of it: nothing of that keeps from erasing.
    private func revoke(_ record: Result<VaultRecord?, VaultProblem>) async -> String {
        switch record {
        case .failure(let problem): return "logout not sent: \(problem.message)"
        case .success(nil): return "no session is stored"
        case .success(let record?):
            guard let chosen = stored.chosen else {
                return "logout not sent: the profile cannot be used"
            }
            do {
                return try await chosen.revokeAtBackend(
                    of: record,
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

    private func forgotten() async throws -> [String] {
        do throws(VaultProblem) {
            return try await stored.localData.forget()
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

/// A token that the backend goes on taking, though it is erased here.
struct UnrevokedToken: Hashable {
    let secret: Secret
    /// When the backend is to refuse it, or `nil` if nothing says so.
    let until: Date?

    /// Those of logouts that the backend has not been notified of yet.
    static func owed(by record: VaultRecord) -> [UnrevokedToken] {
        record.outbox.compactMap { entry in
            (entry.refresh?.secret ?? entry.access?.secret).map {
                UnrevokedToken(secret: $0, until: entry.expiresAt)
            }
        }
    }

    /// The one that a session lives by.
    static func held(by record: VaultRecord) -> UnrevokedToken? {
        guard let pair = record.pair else { return nil }
        guard let refresh = pair.tokens.refresh else {
            let end = pair.accessExpiry.map { pair.sentAt.addingTimeInterval($0.seconds) }
            return UnrevokedToken(secret: pair.tokens.access.secret, until: end)
        }
        let end = pair.refreshExpiry.map { pair.refreshSentAt.addingTimeInterval($0.seconds) }
        return UnrevokedToken(secret: refresh.secret, until: end)
    }

    func isOver(at now: Date) -> Bool { until.map { $0 <= now } ?? false }

    /// For a person.
    func message(_ fingerprinter: Fingerprinter, now: Date, _ clock: ClockFormatter) -> String {
        let end = until.map { "until \(clock.when($0, now: now))" } ?? "nobody knows until when"
        return "\(fingerprinter.fingerprint(of: secret)) is taken by the backend \(end)"
    }
}
