import Dashboard
import Dialects
import Lifecycle
import Sessions
import Synchronization
import Tokens

/// Credentials that are at hand before the session starts.
struct FixedCredentials: CredentialSource {
    var values: [String: Secret]
    /// What is missing and where it could be put, for a login that was not foreseen.
    var problem: CredentialProblem?

    func credentials(named names: [String]) async throws(CredentialProblem) -> [String: Secret] {
        if let problem, names.contains(where: { values[$0] == nil }) { throw problem }
        return values
    }
}

/// What a person typed into the dashboard's form, for as long as the program runs.
final class TypedCredentials: Sendable {
    fileprivate let values = Mutex<[String: Secret]>([:])

    /// Takes the place of what was typed before under the same names.
    func put(_ typed: [String: Secret]) {
        values.withLock { $0.merge(typed) { $1 } }
    }

    /// Credentials of which the typed ones count before those that were found.
    ///
    /// - Parameter found: What was at hand before the start.
    /// - Returns: A source of both.
    func over(_ found: FixedCredentials) -> any CredentialSource {
        Layered(typed: self, found: found)
    }

    private struct Layered: CredentialSource {
        let typed: TypedCredentials
        let found: FixedCredentials

        func credentials(
            named names: [String]
        ) async throws(CredentialProblem) -> [String: Secret] {
            var all = found
            all.values.merge(typed.values.withLock { $0 }) { $1 }
            return try await all.credentials(named: names)
        }
    }
}

extension WatchedSession.Plan {
    /// What the dashboard's form asks for, and what of it is at hand.
    var credentialFields: [CredentialField] {
        dialect.credentials.map { spec in
            let isKnown = credentials.values[spec.name]?.isEmpty == false
            return CredentialField(
                name: spec.name,
                isSecret: spec.isSecret,
                origin: isKnown ? credentialOrigins[spec.name] ?? "the sandbox's own" : nil
            )
        }
    }
}
