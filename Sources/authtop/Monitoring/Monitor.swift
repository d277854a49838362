import Basics
import Client
import Model
import Profiles
import Proxy
import UI

/// Counts the events of a run, and answers monitors that ask for the counts.
actor Monitor {
    /// The number of profiles that an answer names as not ready.
    private static let namedProfiles = 20

    private let address: MonitorAddress
    private let version: String
    private let time: any Timekeeper
    private var book: MetricsBook
    private var server: ControlServer?

    /// - Parameters:
    ///   - sessions: The sessions that are known before their first event.
    ///   - address: Where monitors ask.
    ///   - version: That of this program.
    ///   - time: The clock of the events.
    init(
        of sessions: [(id: SessionID, profile: String)],
        at address: MonitorAddress,
        version: String,
        time: any Timekeeper
    ) {
        book = MetricsBook(watching: sessions)
        self.address = address
        self.version = version
        self.time = time
    }

    /// Returns the events among those of a hub that are counted.
    nonisolated func events(of hub: EventHub) -> EventStream {
        // Messages of a feed come in floods, and are counted by their gaps only.
        hub.events { !($0.kind is FeedMessageReceived) }
    }

    /// Takes events in until they end.
    func follow(_ events: EventStream) async {
        for await batch in events.batches {
            for event in batch { book.apply(event) }
        }
    }

    /// Begins to answer monitors.
    ///
    /// - Parameter isAnnounced: Whether the address is written to standard error.
    /// - Throws: `CommandFailure` if the address cannot be used.
    func start(isAnnounced: Bool) async throws(CommandFailure) {
        let server = ControlServer(named: "the port of --metrics") { [weak self] request in
            await self?.answer(request) ?? .refusal(503, "the run has ended")
        }
        self.server = server
        do throws(ProxyError) {
            let port = try await server.start(at: address.address, port: address.port)
            guard isAnnounced else { return }
            StandardError.write("authtop: http://\(address.address.host):\(port)/metrics")
        } catch {
            throw CommandFailure(.badInput, "--metrics: \(error)")
        }
    }

    /// Answers no more.
    func finish() async {
        await server?.stop()
        server = nil
    }

    // MARK: - Answers

    private func answer(_ request: WireRequest) -> WireResponse {
        guard ["/metrics", "/probe", "/healthz", "/readyz"].contains(request.path) else {
            return .refusal(404, "expected GET /metrics, /healthz, /readyz or /probe?profile=NAME")
        }
        guard request.method == "GET" else {
            return .refusal(405, "expected GET \(request.path)")
        }
        switch request.path {
        case "/metrics":
            return text(of: book.reading(version: version, at: time.moment), for: request)
        case "/probe": return probe(request)
        case "/healthz": return .plain(["ok"], status: 200)
        default: return readiness
        }
    }

    private func probe(_ request: WireRequest) -> WireResponse {
        guard let profile = request.queryFields["profile"] else {
            return .refusal(400, "expected /probe?profile=NAME")
        }
        guard let reading = book.reading(of: profile, at: time.moment) else {
            return .refusal(404, "no session of this profile is watched")
        }
        return text(of: reading, for: request)
    }

    private func text(of reading: MetricsReading, for request: WireRequest) -> WireResponse {
        let format = MetricsFormat(accepting: request.header("Accept"))
        return WireResponse(
            status: 200,
            headers: [WireHeader("Content-Type", format.contentType)],
            body: MetricsText.bytes(of: reading, as: format)
        )
    }

    private var readiness: WireResponse {
        let unready = book.unreadyProfiles(at: time.moment)
        guard !unready.isEmpty else { return .plain(["ready"], status: 200) }
        let named = unready.prefix(Self.namedProfiles).map { profile in
            ReadinessText.sentence(profile).visibleInOneLine
        }
        let others = unready.count - named.count
        return .plain(named + (others > 0 ? ["and \(others) more"] : []), status: 503)
    }
}

extension WireResponse {
    fileprivate static func plain(_ lines: [String], status: Int) -> WireResponse {
        WireResponse(
            status: status,
            headers: [WireHeader("Content-Type", "text/plain; charset=utf-8")],
            body: Array((lines.joined(separator: "\n") + "\n").utf8)
        )
    }
}
