import AsyncHTTPClient
package import Basics
package import Client
import Model
package import Profiles

/// A transport over HTTP/1.1, or HTTP/2 where the server selects it, to the origins of one backend:
/// without redirects, with limited responses, and without retries but of what the server says that it
/// did not process.
package struct HTTPTokenTransport: TokenTransport {
    let origins: BackendOrigins
    let clients: HTTPClientPool
    let certificates: CertificateProbe
    let gate: NetworkGate
    let configuration: NetworkConfiguration

    package func send(
        _ request: WireRequest,
        connection: ConnectionUse,
        deadline: Instant
    ) async -> TransportReport {
        await send(request, connection, deadline, leavesWhenSent: false)
    }

    /// Writes the whole request on a connection of its own, and closes that without reading.
    ///
    /// - Returns: `unanswered`, or `notSent` if the request was not written.
    package func sendUnread(_ request: WireRequest, deadline: Instant) async -> TransportReport {
        await send(request, .own, deadline, leavesWhenSent: true)
    }

    private func send(
        _ request: WireRequest,
        _ connection: ConnectionUse,
        _ deadline: Instant,
        leavesWhenSent: Bool
    ) async -> TransportReport {
        let sentAt = configuration.timekeeper.moment
        var origin = origins.base
        let attempt: Attempt
        do throws(NetworkFault) {
            origin = try origins.origin(named: request.origin)
            attempt = await self.attempt(
                request,
                to: origin,
                connection,
                sentAt,
                deadline,
                leavesWhenSent: leavesWhenSent
            )
        } catch {
            attempt = Attempt(result: .failure(error))
        }
        let endedAt = configuration.timekeeper.moment
        return TransportReport(
            outcome: outcome(of: attempt, at: origin),
            sentAt: sentAt,
            endedAt: endedAt,
            timing: attempt.progress.timing(from: sentAt.now, to: endedAt.now)
        )
    }

    /// Uses a new connection: after a suspend, those of the pool may be dead without being closed.
    package func probe(deadline: Instant) async -> Bool {
        let root = WireRequest(method: "HEAD", target: "/")
        let now = configuration.timekeeper.moment
        let attempt = await attempt(root, to: origins.renewal.withoutPath, .own, now, deadline)
        return attempt.progress.answer != nil
    }

    private struct Attempt {
        var result: Result<WireResponse, NetworkFault>
        var progress = ExchangeProgress()
    }

    private func attempt(
        _ wire: WireRequest,
        to origin: BackendOrigin,
        _ use: ConnectionUse,
        _ start: Moment,
        _ deadline: Instant,
        leavesWhenSent: Bool = false
    ) async -> Attempt {
        let limit = deadline - start.now
        guard limit > .zero else { return Attempt(result: .failure(.deadline(.zero))) }
        guard !Task.isCancelled else { return Attempt(result: .failure(.cancelled)) }
        do throws(NetworkFault) {
            let agent = configuration.userAgent
            let outgoing = try OutgoingRequest(wire, to: origin, userAgent: agent)
            return await gate.run(ifClosed: Attempt(result: .failure(.shutDown))) {
                let route = Route(proxy: proxy(for: origin), security: origins.security)
                let clients = clients.clients(for: route)
                var attempt = await run(
                    outgoing,
                    on: clients,
                    use,
                    limit,
                    deadline,
                    leavesWhenSent
                )
                // A request that the server has not processed is safe to send again (RFC 9113,
                // section 8.7), and another connection may lead to one that is not about to end.
                if case .failure(let fault) = attempt.result, fault.leftRequest,
                    !leavesWhenSent, !Task.isCancelled
                {
                    attempt = await run(outgoing, on: clients, use, limit, deadline, false)
                }
                // The probe would bypass a proxy.
                if case .failure(let fault) = attempt.result, route.proxy == nil {
                    attempt.result = .failure(await certificates.explain(fault, at: origin))
                }
                return attempt
            }
        } catch {
            return Attempt(result: .failure(error))
        }
    }

    private func proxy(for origin: BackendOrigin) -> Proxy? {
        configuration.proxies.proxy(for: origin)
    }

    private func run(
        _ outgoing: OutgoingRequest,
        on clients: HTTPClients,
        _ use: ConnectionUse,
        _ limit: Duration,
        _ deadline: Instant,
        _ leavesWhenSent: Bool
    ) async -> Attempt {
        let timekeeper = configuration.timekeeper
        let exchange = HTTPExchange(
            timekeeper: timekeeper,
            clients: clients,
            leavesWhenSent: leavesWhenSent
        )
        if outgoing.request.useTLS { clients.openings.begin(for: exchange) }
        defer { clients.openings.giveUp(for: exchange) }
        let task = clients.client(for: use)
            .execute(request: outgoing.request, delegate: exchange)
        let result = await task.result(by: deadline, timekeeper, limit: limit)
        let connectLimit = configuration.connectTimeout
        let progress = exchange.progress
        return Attempt(
            result: result.mapError {
                let fault = NetworkFault($0, connectLimit: connectLimit)
                return fault == .closed ? progress.openingFault ?? fault : fault
            },
            progress: progress
        )
    }

    private func outcome(
        of attempt: Attempt,
        at origin: BackendOrigin
    ) -> Outcome<WireResponse> {
        switch attempt.result {
        case .success(let answer):
            return .answered(answer)
        case .failure(let fault):
            let stage = attempt.progress.stage
            let message = fault.message(at: origin, through: proxy(for: origin), stage: stage)
            return stage == .connecting || fault.leftRequest
                ? .notSent(.unreachable(detail: message)) : .unanswered(detail: message)
        }
    }
}
