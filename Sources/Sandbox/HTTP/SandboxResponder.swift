import Backend
import Basics
import FoundationEssentials
import HTTP
import HTTPTypes
import HummingbirdCore
import Model
import NIOCore
import NIOPosix
import Profiles

/// Responds to requests: recognizes the dialect, applies faults, asks the backend, and writes the
/// response.
struct SandboxResponder: Sendable {
    /// The maximum size of a request's body in bytes; a larger one is answered with 413.
    static let bodyLimit = CustomRequest.bodyLimit

    let core: SandboxCore

    func respond(
        to request: Request,
        with writer: consuming ResponseWriter,
        on channel: any Channel
    ) async throws {
        let reply = try await reply(to: request, on: channel)
        if let admission = reply.stream {
            return try await stream(admission, in: reply.dialect, with: writer, on: channel)
        }
        var head = HTTPResponse(status: .init(code: reply.response.status))
        for header in reply.response.headers {
            guard let name = HTTPField.Name(header.name) else { continue }
            head.headerFields.append(HTTPField(name: name, value: header.value))
        }
        head.headerFields[.date] = HTTPDate.format(
            core.timekeeper.wall.addingTimeInterval(reply.clockSkew)
        )
        head.headerFields[.server] = WireResponse.sandboxServer
        let body = reply.response.body
        if reply.response.status != 204 {
            head.headerFields[.contentLength] = String(body.count)
        }
        switch reply.delivery {
        case .whole where request.method == .head:
            try await writer.writeResponse(head)
        case .whole:
            let body = body.isEmpty ? ResponseBody() : ResponseBody(byteBuffer: .init(bytes: body))
            try await writer.write(response: head, body: body)
        case .cut(let count):
            var bodyWriter = try await writer.writeHead(head)
            try await bodyWriter.write(ByteBuffer(bytes: body.prefix(max(count, 0))))
            try await end(channel)
        case .dropped:
            try await end(channel)
        case .reset:
            try await reset(channel)
        }
    }

    /// A response, and how it is delivered.
    private struct Reply: Sendable {
        var response: WireResponse
        var delivery = BackendExchange.Delivery.whole
        /// The error of the `Date` header, in seconds.
        var clockSkew = 0.0
        /// The feed that is the body of the response, or `nil` if it has another one.
        var stream: FeedTicket.Admission?
        var dialect = ""
    }

    /// Responds with an event stream, and returns when it has ended.
    private func stream(
        _ admission: FeedTicket.Admission,
        in dialect: String,
        with writer: consuming ResponseWriter,
        on channel: any Channel
    ) async throws {
        var head = HTTPResponse(status: .ok)
        head.headerFields[.contentType] = EventStreamParser.mediaType
        head.headerFields[.cacheControl] = "no-store"
        head.headerFields[.date] = HTTPDate.format(core.timekeeper.wall)
        head.headerFields[.server] = WireResponse.sandboxServer
        var body: any ResponseBodyWriter = try await writer.writeHead(head)
        try await channel.pipeline.addHandler(ClientEndHandler(), position: .first)
        let connection = ServedEventStream(on: channel)
        let ticket = FeedTicket(dialect: dialect, admission: admission, subprotocol: nil)
        @Sendable
        func serve(_ ticket: FeedTicket) async {
            await ServedFeedSocket(connection: connection, core: core).serve(ticket)
            connection.finish()
        }
        async let served: Void = serve(ticket)
        let isWhole = await connection.write(to: &body)
        if !isWhole { connection.drop() }
        await served
        guard isWhole else { throw ChannelError.alreadyClosed }
        try await body.finish(nil)
    }

    private func reply(to request: Request, on channel: any Channel) async throws -> Reply {
        let body: [UInt8]
        do {
            body = Array(buffer: try await request.body.collect(upTo: Self.bodyLimit))
        } catch is NIOTooManyBytesError {
            return Reply(response: .detail(413, "The body is larger than \(Self.bodyLimit) bytes"))
        }
        let wire = WireRequest(
            method: request.method.rawValue,
            target: request.head.path ?? "/",
            // Hummingbird stores the first Host header as the authority.
            headers: (request.head.authority.map { [WireHeader("Host", $0)] } ?? [])
                + request.headers.map { WireHeader($0.name.rawName, $0.value) },
            body: body
        )
        switch core.route(wire) {
        case .exchange(let served, .feed(let token, let since)):
            if let pendingExchange = core.takeAnsweredUpgrade(of: ObjectIdentifier(channel)) {
                return try await finish(pendingExchange, in: served)
            }
            return try await answerFeed(wire, in: served, token, since: since)
        case .exchange(let served, let recognized):
            let inner = core.routes.inner(wire, of: served)
            if let problem = served.dialect.captureProblem(in: inner) {
                return Reply(response: .forbidden(problem))
            }
            return try await reply(to: wire, recognizedAs: recognized, in: served)
        case .spoken:
            return Reply(response: .upgradeRequired)
        case .authorization(let query, let issuer):
            return Reply(response: core.authorize(query, at: wire.target, issuer: issuer))
        case .pushed(let query, let credentials):
            return Reply(response: core.push(query, from: credentials, in: wire))
        case .endSession(let query):
            return Reply(response: core.endSession(query, at: wire.target))
        case .deviceCode(let client, let issuer):
            return Reply(response: core.deviceCode(for: client, issuer: issuer))
        case .devicePage(let form):
            return Reply(response: core.devicePage(form))
        case .metadata(let document, let kind):
            return Reply(response: .json(core.served(document, of: kind)))
        case .registration(let body):
            return Reply(response: core.register(body))
        case .server(let served, let token, let url, let metadata):
            var reply =
                if let refusal = core.refusal(of: token, at: url, in: served) {
                    Reply(response: refusal)
                } else {
                    try await reply(to: wire, recognizedAs: .protected(token), in: served)
                }
            reply.response = reply.response.fromMCPServer(describedAt: metadata, to: wire)
            return reply
        case .state:
            return Reply(response: .json(200, core.state()))
        case .faults:
            return Reply(response: .json(200, core.faultList))
        case .setFaults(let body):
            return Reply(response: setFaults(body))
        case .index:
            return Reply(response: .json(200, SandboxIndex(core.routes)))
        case .wrongMethod:
            return Reply(response: .detail(405, "Method Not Allowed"))
        case .ambiguous(let paths):
            return Reply(response: .ambiguous(paths))
        case .refused(let response):
            return Reply(response: response)
        case .unknown:
            return Reply(response: .detail(404, "Not Found"))
        }
    }

    /// Responds to a request for a feed that is no upgrade: with a stream, if it accepts one.
    private func answerFeed(
        _ wire: WireRequest,
        in served: ServedDialect,
        _ token: AccessToken?,
        since: String?
    ) async throws -> Reply {
        guard wire.header("Accept")?.contains(EventStreamParser.mediaType) == true else {
            return Reply(response: core.refuseFeed(token, in: served))
        }
        let admission = core.admission(
            of: wire,
            .feed(token, since: since),
            in: served,
            token,
            since: ServedEventStream.position(wire.header("Last-Event-ID") ?? since)
        )
        switch admission {
        case .admitted(let admission):
            return Reply(
                response: .detail(200, ""),
                stream: admission,
                dialect: served.policy.name
            )
        case .answered(let exchange): return try await finish(exchange, in: served)
        case .refused: return Reply(response: core.refuseFeed(token, in: served))
        }
    }

    private func setFaults(_ body: [UInt8]) -> WireResponse {
        do throws(FaultSwitchesError) {
            core.set(try FaultSwitches(parsing: body, at: .backend).settings)
            return .json(200, core.faultList)
        } catch {
            return .detail(400, error.description)
        }
    }

    private func reply(
        to wire: WireRequest,
        recognizedAs recognized: RecognizedRequest,
        in served: ServedDialect
    ) async throws -> Reply {
        let proof = core.checkProof(in: wire, of: recognized)
        if let refusal = core.refusal(proof, of: recognized) {
            if proof == .otherNonce { core.spendByChallenge(recognized) }
            return Reply(response: refusal)
        }
        if let refusal = core.deviceRefusal(of: recognized) { return Reply(response: refusal) }
        if let refusal = core.targetRefusal(of: recognized, in: wire) {
            return Reply(response: refusal)
        }
        return try await finish(core.begin(recognized, in: served), in: served, proof, of: wire)
    }

    private func finish(
        _ pendingExchange: SandboxExchange,
        in served: ServedDialect,
        _ proof: ProofVerdict = .absent,
        of request: WireRequest? = nil
    ) async throws -> Reply {
        try await pause(pendingExchange.exchange.delayBefore)
        var exchange = core.finish(pendingExchange, in: served)
        if let request { core.name(sessionOf: exchange, by: request) }
        core.bind(&exchange, to: proof)
        try await pause(exchange.delayAfter)
        return Reply(
            response: exchange.response ?? .detail(500, "No answer"),
            delivery: exchange.delivery,
            clockSkew: exchange.clockSkew
        )
    }

    private func pause(_ seconds: Double) async throws {
        guard seconds > 0 else { return }
        try await core.timekeeper.sleep(until: core.timekeeper.now.advanced(bySeconds: seconds))
    }

    /// Closes the connection, and throws to end the loop that serves it.
    private func end(_ channel: any Channel) async throws {
        try await channel.close()
        throw ChannelError.alreadyClosed
    }

    /// Closes the connection with RST, which the kernel sends instead of FIN if lingering is
    /// disabled.
    private func reset(_ channel: any Channel) async throws {
        if let options = channel as? any SocketOptionProvider {
            try await options.setSoLinger(linger(l_onoff: 1, l_linger: 0)).get()
        }
        try await end(channel)
    }
}
