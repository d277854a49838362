import Basics
import Client
import Model
import Profiles

/// Opens WebSockets after the requests that say where and with which parameters.
struct FeedNegotiator: Sendable {
    /// The most servers that name another one.
    private static let redirectLimit = 4

    let origins: BackendOrigins
    let requests: @Sendable (BackendOrigins) -> HTTPTokenTransport
    let webSockets: @Sendable (BackendOrigins) throws -> WebSocketFeedTransport

    func dial(_ request: FeedRequest, deadline: Instant) async -> FeedDialOutcome {
        guard var negotiation = request.negotiation else {
            return await open(request, at: origins, deadline)
        }
        var asked = origins
        for _ in 0...Self.redirectLimit {
            let report = await requests(asked).send(
                negotiation.request,
                connection: .shared,
                deadline: deadline
            )
            switch report.outcome {
            case .notSent(.unreachable(let detail)), .unanswered(let detail):
                return .failed(detail: detail)
            case .notSent: return .failed(detail: "\(negotiation) was not sent")
            case .answered(let answer) where !(200..<300).contains(answer.status):
                return .refused(answer)
            case .answered(let answer):
                switch negotiation.step(after: answer, dialing: request) {
                case .dial(let request): return await open(request, at: asked, deadline)
                case .unusable(let detail): return .failed(detail: detail)
                case .ask(let next, let address):
                    guard let origin = try? BackendOrigin(parsing: address),
                        asked.areLoopback || !origin.isLoopback
                    else {
                        return .failed(
                            detail: "\(negotiation) named another server without https, "
                                + "or on this machine"
                        )
                    }
                    negotiation = next
                    asked = BackendOrigins(origin, security: origins.security)
                }
            }
        }
        return .failed(detail: "\(negotiation) named another server for the fifth time")
    }

    private func open(
        _ request: FeedRequest,
        at origins: BackendOrigins,
        _ deadline: Instant
    ) async -> FeedDialOutcome {
        do {
            return try await webSockets(origins).dial(request, deadline: deadline)
        } catch {
            return .failed(detail: "the certificates to trust cannot be used")
        }
    }
}
