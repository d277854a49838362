import Basics
import Client
import Model
import Profiles
import Synchronization

/// The client that the program has registered for a profile, in one run.
///
/// A client that the server has forgotten is registered again at the next login, and not before: a
/// renewal goes on with the client that its refresh token was issued to.
final class ClientRegistration: Sendable {
    /// The time within which a client that was registered in this run, and is not known to the server
    /// either, is not replaced: more of them would not help.
    private static let trial = Duration.seconds(60)

    private struct State {
        var client: RegisteredClient?
        /// When this run has registered it, or `nil` if it was known.
        var registeredAt: Instant?
    }

    private let registrar: ClientRegistrar
    /// The names of the credentials that were given.
    private let given: Set<String>
    private let state: Mutex<State>

    init(_ client: RegisteredClient?, by registrar: ClientRegistrar, besides given: Set<String>) {
        self.registrar = registrar
        self.given = given
        state = Mutex(State(client: client))
    }

    /// The credentials of the client by their names, but for those that were given.
    var credentials: [String: Secret] {
        let client = state.withLock { $0.client }
        return (client?.credentials ?? [:]).filter { !given.contains($0.key) }
    }

    /// Registers the client again if the server has forgotten it.
    ///
    /// - Throws: `CredentialProblem` with the reason.
    func prepareLogin() async throws(CredentialProblem) {
        guard state.withLock({ $0.client?.isForgotten ?? false }) else { return }
        do {
            let client = try await registrar.client(registering: true)
            let now = registrar.time.now
            state.withLock { $0 = State(client: client, registeredAt: now) }
        } catch {
            let failure = error as? CommandFailure
            throw CredentialProblem(
                credential: ClientRegistrar.idName,
                detail: failure?.message ?? "the client was not registered again"
            )
        }
    }

    /// The server has said that it does not know the client.
    ///
    /// - Returns: Whether the next login registers another one.
    func refused() async -> Bool {
        let (client, registeredAt) = state.withLock { ($0.client, $0.registeredAt) }
        let now = registrar.time.now
        guard let client, registeredAt.map({ now - $0 > Self.trial }) ?? true else { return false }
        guard !client.isForgotten else { return true }
        let kept = await registrar.forgotten(client)
        state.withLock { $0.client = kept }
        return true
    }
}
