import Sessions
import Synchronization
import Tokens

/// What a person typed into the dashboard's form, for as long as the program runs.
final class TypedCredentials: Sendable {
    fileprivate let values = Mutex<[String: Secret]>([:])

    /// Takes the place of what was typed before under the same names.
    func put(_ typed: [String: Secret]) {
        values.withLock { $0.merge(typed) { $1 } }
    }

    /// Credentials of which the typed ones count before those of `source`.
    ///
    /// - Parameters:
    ///   - found: What was at hand before the start.
    ///   - names: All that a login needs.
    /// - Returns: A source of both.
    func over(_ found: FixedCredentials, names: [String]) -> any CredentialSource {
        Layered(typed: self, found: found, names: names)
    }

    private struct Layered: CredentialSource {
        let typed: TypedCredentials
        let found: FixedCredentials
        let names: [String]

        func credentials() async throws(CredentialProblem) -> [String: Secret] {
            let all = found.values.merging(typed.values.withLock { $0 }) { $1 }
            if let problem = found.problem, names.contains(where: { all[$0] == nil }) {
                throw problem
            }
            return all
        }
    }
}
