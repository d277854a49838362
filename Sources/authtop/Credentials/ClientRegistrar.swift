import Basics
import Client
import FoundationEssentials
import Model
import Platform
import Profiles
import UI

/// Finds the client that the program has registered for a profile (RFC 7591), or registers it.
///
/// It is kept with the session, and outlives it: a refresh token is good only for the client that it
/// was issued to.
struct ClientRegistrar: Sendable {
    static let idName = "client_id"

    let profile: String
    let dialect: Dialect
    let origins: BackendOrigins
    let network: NetworkConfiguration
    let vault: any Vault
    let time: any Timekeeper

    /// Returns the client.
    ///
    /// - Parameter registers: Whether the client is registered if it is not known, its secret has ended,
    ///   or the server has forgotten it.
    /// - Returns: The client, or `nil` if it is not known.
    /// - Throws: `CommandFailure` if the server does not register it, or if it cannot be kept.
    func client(registering registers: Bool) async throws -> RegisteredClient? {
        let stored = try await reporting { () async throws(VaultProblem) in
            try await vault.load()?.client
        }
        guard registers else { return stored }
        let now = time.wall.timeIntervalSince1970
        if let stored, !stored.isOver(at: now) { return stored }
        let client = try await registered()
        return try await reporting { () async throws(VaultProblem) in
            try await keep(client, replacing: stored)
        }
    }

    /// Keeps that the server has forgotten a client, with the session that it was issued tokens for.
    ///
    /// - Returns: The client that another process has registered since, or else the same.
    func forgotten(_ client: RegisteredClient) async -> RegisteredClient {
        var forgotten = client
        forgotten.isForgotten = true
        // What cannot be written is known to this process alone, until the server says it again.
        return (try? await keep(forgotten, replacing: client)) ?? forgotten
    }

    private func reporting<Value: Sendable>(
        _ body: () async throws(VaultProblem) -> Value
    ) async throws(CommandFailure) -> Value {
        do throws(VaultProblem) {
            return try await body()
        } catch {
            throw CommandFailure(.unreachable, "\(profile): \(error.message)")
        }
    }

    private func registered() async throws -> RegisteredClient {
        guard let request = dialect.registrationRequest() else {
            throw CommandFailure(.badInput, "\(profile): the profile has no registration")
        }
        let document = RemoteDocument(
            url: (request.origin ?? origins.base.description) + request.target,
            name: "\(profile): registration",
            security: origins.security,
            request: request
        )
        let answer = try await withNetwork(network) { network in
            await document.answer(on: network, at: time)
        }.get()
        do throws(RegistrationProblem) {
            return try dialect.readRegistration(answer)
        } catch {
            let isLater = if case .refused(let status, _) = error { status >= 500 } else { false }
            throw CommandFailure(
                isLater ? .unreachable : .badInput,
                "\(document.name): \(Self.text(error))"
            )
        }
    }

    /// Keeps a client, unless another process was faster, whose client is then used; nothing else of the
    /// record changes.
    private func keep(
        _ client: RegisteredClient,
        replacing stored: RegisteredClient?
    ) async throws(VaultProblem) -> RegisteredClient {
        var record = VaultRecord(
            dialect: dialect.name,
            baseURL: origins.base.description,
            family: "",
            pair: nil,
            epoch: 0,
            savedAt: time.wall
        )
        record.client = client
        let commit = VaultCommit(record: record, condition: .client(replacing: stored))
        switch try await vault.commit(commit) {
        case .committed: return client
        case .erased(let problem): throw problem
        case .superseded(let other): return other?.client ?? client
        }
    }

    private static func text(_ problem: RegistrationProblem) -> String {
        switch problem {
        case .refused(let status, let message):
            "the server answered \(status)" + (message.map { ": \($0)" } ?? "")
        case .unreadable(let message):
            "the answer has no client_id" + (message.map { ", and says: \($0)" } ?? "")
        case .otherMethod(let method):
            "the server expects the authentication \(method.visibleInOneLine): set client_auth"
        case .withoutSecret: "the answer has no client_secret: set client_auth = \"public\""
        }
    }
}
