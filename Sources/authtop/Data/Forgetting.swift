import Dashboard
import Dialects
import FoundationEssentials
import Lifecycle
import Timekeeping
import Vaults

/// Ends one stored session where that can be done, and erases what is kept of it in any case.
struct Forgetting {
    let stored: StoredProfile
    let environment: LiveEnvironment

    /// Does it, and prints what became of it.
    ///
    /// - Returns: Whether the backend knows all that it can be told.
    /// - Throws: `CommandFailure` where the record could not be erased.
    func run() async throws -> Bool {
        let before = await stored.record()
        let words = await told(before)
        let after = try? await stored.record().get()
        let now = environment.time.moment.wall
        let untold = (after.map(LivingToken.owed) ?? []).filter { !$0.isOver(at: now) }
        // Where no request can name the session, nothing is owed, and the token lives on all the same.
        let isNamed = stored.chosen?.dialect.namesSession(in: .this) ?? true
        let isEnded = after.map { $0.pair == nil } ?? false
        let held = isEnded && isNamed ? nil : (try? before.get()).flatMap(LivingToken.held)
        let unended = [held].compactMap(\.self).filter { !$0.isOver(at: now) }
        let files = stored.traces.files.count
        let left = try await forgotten()
        print(words, files - stored.traces.files.count, untold + unended, left)
        // What was in a record that nobody could read, nobody was told of.
        guard case .success = before else { return false }
        return untold.isEmpty && (unended.isEmpty || !isNamed)
    }

    /// Tells the backend, and says what became of it: nothing of that keeps from erasing.
    private func told(_ record: Result<VaultRecord?, VaultProblem>) async -> String {
        switch record {
        case .failure(let problem): return "not told: \(problem.words)"
        case .success(nil): return "no session is stored"
        case .success(let record?):
            guard let chosen = stored.chosen else { return "not told: the profile cannot be used" }
            do {
                return try await chosen.tellBackend(
                    of: record,
                    endingSession: true,
                    in: environment
                )
            } catch let failure as CommandFailure {
                return "not told: \(failure.words)"
            } catch {
                return "not told: \(error)"
            }
        }
    }

    private func forgotten() async throws -> [String] {
        do throws(VaultProblem) {
            return try await stored.traces.forget()
        } catch {
            throw CommandFailure(
                .unreachable,
                "\(stored.site.profile): not erased: \(error.words)"
            )
        }
    }

    private func print(_ words: String, _ count: Int, _ living: [LivingToken], _ left: [String]) {
        let fingerprinter = environment.fingerprinter()
        let clock = ClockWords(utcOffsetSeconds: environment.utcOffsetSeconds)
        let now = environment.time.moment.wall
        var rows = TextRows()
        rows.add("backend", "\(stored.site.baseURL): \(words)")
        for token in living {
            rows.add("not revoked", token.words(fingerprinter, now: now, clock))
        }
        for line in left { rows.add("left", line) }
        let erased = "\(stored.site.profile): erased, \(CountWords.count(count, "file"))"
        for line in [erased] + rows.lines where !StandardOutput.write(line) { return }
    }
}
