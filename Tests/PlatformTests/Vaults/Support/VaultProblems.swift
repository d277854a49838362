import Client
import Model
import Platform
import Testing

extension Vault {
    func lockFlight(holder: Int, timeout: Duration) async throws(VaultProblem) -> Bool {
        try await lockFlight(holder: holder, timeout: timeout, whenHeld: { _ in })
    }

    /// The obstacle to reading the record, as text.
    func readingProblem() async throws -> String {
        do throws(VaultProblem) {
            let record = try await load()
            Issue.record("it was read: \(record == nil ? "nothing" : "a record")")
            return ""
        } catch {
            return error.message
        }
    }

    /// The obstacle to the flight lock, as text.
    func lockingProblem() async throws -> String {
        do throws(VaultProblem) {
            let isLocked = try await lockFlight(holder: 1, timeout: .seconds(60))
            Issue.record("it was \(isLocked ? "taken" : "waited for")")
            return ""
        } catch {
            return error.message
        }
    }

    /// The obstacle to a login's being stored, as text.
    func writingProblem() async throws -> String {
        do throws(VaultProblem) {
            let verdict = try await commit(.login(.signedIn(generation: 1, epoch: 9)))
            Issue.record("it was written: \(verdict)")
            return ""
        } catch {
            return error.message
        }
    }
}
