import Basics
import Client
import Model
import Observer
import Profiles
import Synchronization
import UI

/// The credentials that are available before the session starts.
struct FixedCredentials: CredentialSource {
    var values: [String: Secret]
    /// The missing credentials and where they can be provided, for an unexpected login, in the
    /// dialect's order.
    var problems: [CredentialProblem] = []
    /// The origin of each value, as text for a form.
    var origins: [String: String] = [:]
    /// The commands that print others, which are run for each login, by name.
    var commands: [String: CredentialCommand] = [:]
    /// The client that the program has registered, or `nil` if its id was given.
    var registration: ClientRegistration?

    func credentials(named names: [String]) async throws(CredentialProblem) -> [String: Secret] {
        let all = values.merging(registration?.credentials ?? [:]) { $1 }
        let problem = problems.first { problem in
            names.contains(problem.credential) && all[problem.credential] == nil
        }
        if let problem { throw problem }
        return try await adding(names, to: all)
    }

    func prepareLogin() async throws(CredentialProblem) { try await registration?.prepareLogin() }

    func clientRefused() async -> Bool { await registration?.refused() ?? false }

    /// Adds what commands print.
    private func adding(
        _ names: [String],
        to values: [String: Secret]
    ) async throws(CredentialProblem) -> [String: Secret] {
        var all = values
        for name in names where all[name] == nil {
            all[name] = try await commands[name]?.valueForLogin()
        }
        return all
    }
}

/// The credentials that the user typed into the dashboard's form, kept while the program runs.
final class TypedCredentials: Sendable {
    fileprivate let values = Mutex<[String: Secret]>([:])

    /// Replaces the values that were typed before under the same names.
    func put(_ typed: [String: Secret]) {
        values.withLock { $0.merge(typed) { $1 } }
    }

    /// Returns a source in which the typed credentials take precedence.
    ///
    /// - Parameter found: The credentials that were available before the start.
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

        func prepareLogin() async throws(CredentialProblem) { try await found.prepareLogin() }

        func clientRefused() async -> Bool { await found.clientRefused() }
    }
}

extension FixedCredentials {
    /// Returns the credentials in the dashboard's form, with those that are available.
    func fields(for specs: [CredentialSpec]) -> [CredentialField] {
        specs.map { spec in
            let isKnown = values[spec.name]?.isEmpty == false
            return CredentialField(
                name: spec.name,
                isSecret: spec.isSecret,
                origin: isKnown ? origins[spec.name] ?? "the sandbox's own" : nil
            )
        }
    }
}
