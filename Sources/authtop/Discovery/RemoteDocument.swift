import Basics
import Client
import Model
import Observer
import Platform
import Profiles
import UI

extension WireResponse {
    /// Whether its body is an object, as all metadata are.
    var hasObject: Bool {
        if case .object? = JSONValue(parsing: body) { true } else { false }
    }
}

/// A document at a URL, or the answer to another request without credentials.
struct RemoteDocument {
    let url: String
    /// The prefix of errors.
    let name: String
    var security = TransportSecurity.standard
    /// The request, whose target is that of the URL.
    var request = WireRequest(method: "GET", target: "/")

    /// - Throws: `CommandFailure` if the server did not answer, or the URL is none.
    func fetch(in environment: LiveEnvironment, caFile: String?) async throws -> WireResponse {
        let configuration = try environment.networkConfiguration(caFile: caFile)
        return try await withNetwork(configuration) { network in
            await answer(on: network, at: environment.time)
        }.get()
    }

    /// Returns the answer, or why there is none.
    func answer(
        on network: NetworkContext,
        at time: any Timekeeper
    ) async -> Result<WireResponse, CommandFailure> {
        guard let address = try? WebAddress(parsing: url) else {
            return .failure(CommandFailure(.badInput, "\(name): expected https, or this machine"))
        }
        guard security.reachesNear || !address.origin.isNear else {
            let host = address.origin.authority.visibleInOneLine
            return .failure(
                CommandFailure(
                    .badInput,
                    "\(name): \(host) is on this machine or its link, where no server elsewhere may "
                        + "send a client (RFC 9728 section 7.7)"
                )
            )
        }
        let origins = BackendOrigins(address.origin, security: security)
        var request = request
        request.target = address.target
        let report = await network.tokenTransport(to: origins).send(
            request,
            connection: .own,
            deadline: time.now + .seconds(10)
        )
        switch report.outcome {
        case .notSent(let cause):
            let message = "\(url): \(CauseText().text(cause))"
            return .failure(CommandFailure(.unreachable, message))
        case .unanswered(let detail):
            return .failure(CommandFailure(.unreachable, "\(url): \(detail)"))
        case .answered(let answer): return .success(answer)
        }
    }
}
