import AsyncHTTPClient
import Basics
import Client
import Model
import Profiles

/// Opens the feed of one backend as an event stream, over HTTP/1.1 or HTTP/2.
///
/// A response with another status than 200, or of another type, is a refusal.
struct EventStreamFeedTransport: FeedTransport {
    let origins: BackendOrigins
    let clients: HTTPClientPool
    let certificates: CertificateProbe
    let gate: NetworkGate
    let configuration: NetworkConfiguration

    func dial(_ request: FeedRequest, deadline: Instant) async -> FeedDialOutcome {
        var origin = origins.base
        let limit = deadline - configuration.timekeeper.now
        do throws(NetworkFault) {
            origin = try origins.origin(named: request.origin)
            guard limit > .zero else { throw .deadline(.zero) }
            guard !Task.isCancelled else { throw .cancelled }
            let wire = WireRequest(
                method: "GET",
                target: request.target,
                headers: request.headers
            )
            let agent = configuration.userAgent
            let outgoing = try OutgoingRequest(wire, to: origin, userAgent: agent)
            let route = Route(
                proxy: configuration.proxies.proxy(for: origin),
                security: origins.security
            )
            return try await gate.run(ifClosed: .failure(.shutDown)) {
                await open(outgoing, on: clients.clients(for: route), limit, deadline)
            }.get()
        } catch {
            return await failed(error, at: origin)
        }
    }

    private func open(
        _ outgoing: OutgoingRequest,
        on clients: HTTPClients,
        _ limit: Duration,
        _ deadline: Instant
    ) async -> Result<FeedDialOutcome, NetworkFault> {
        let exchange = EventStreamExchange(gate: gate, openings: clients.openings)
        if outgoing.request.useTLS { clients.openings.begin(for: exchange) }
        defer { clients.openings.giveUp(for: exchange) }
        let task = clients.client(for: .own)
            .execute(request: outgoing.request, delegate: exchange)
        exchange.follow(task)
        let answer = await withTaskCancellationHandler {
            await withDeadline(deadline, by: configuration.timekeeper) {
                exchange.giveUp(.deadline(limit))
            } work: {
                await exchange.answer()
            }
        } onCancel: {
            exchange.giveUp(.cancelled)
        }
        switch answer {
        case .opened: return .success(.opened(exchange))
        case .refused(let response): return .success(.refused(response))
        case .failed(let error):
            return .failure(
                NetworkFault(error, connectLimit: configuration.connectTimeout)
            )
        }
    }

    private func failed(_ fault: NetworkFault, at origin: BackendOrigin) async -> FeedDialOutcome {
        let proxy = configuration.proxies.proxy(for: origin)
        // The probe would bypass a proxy.
        let explained = proxy == nil ? await certificates.explain(fault, at: origin) : fault
        return .failed(detail: explained.message(at: origin, through: proxy, stage: .waiting))
    }
}

/// Opens the feed of one backend by the protocol of each request.
struct NetworkFeedTransport: FeedTransport {
    let webSockets: WebSocketFeedTransport
    let negotiator: FeedNegotiator
    let eventStreams: EventStreamFeedTransport

    func dial(_ request: FeedRequest, deadline: Instant) async -> FeedDialOutcome {
        switch request.kind {
        case .webSocket where request.negotiation != nil:
            await negotiator.dial(request, deadline: deadline)
        case .webSocket: await webSockets.dial(request, deadline: deadline)
        case .eventStream: await eventStreams.dial(request, deadline: deadline)
        }
    }
}
