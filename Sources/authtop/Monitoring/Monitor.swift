import Basics
import Client
import Model
import Platform
import Profiles
import Proxy

/// Counts the events of a run, for monitors that ask and a collector that is told.
actor Monitor {
    private let address: MonitorAddress?
    private let exporter: TelemetryExporter?
    private let version: String
    let time: any Timekeeper
    private(set) var book: MetricsBook
    private var server: ControlServer?
    private var exporting: Task<Void, Never>?

    /// - Parameters:
    ///   - sessions: The sessions that are known before their first event.
    ///   - address: Where monitors ask, or `nil` if none does.
    ///   - exporter: Sends to a collector, or `nil` if there is none.
    ///   - version: That of this program.
    ///   - time: The clock of the events.
    init(
        of sessions: [(id: SessionID, profile: String)],
        at address: MonitorAddress?,
        _ exporter: TelemetryExporter?,
        version: String,
        time: any Timekeeper
    ) {
        book = MetricsBook(watching: sessions)
        self.address = address
        self.exporter = exporter
        self.version = version
        self.time = time
    }

    /// Returns the events among those of a hub that are counted.
    nonisolated func events(of hub: EventHub) -> EventStream {
        // Messages of a feed come in floods, and are counted by their gaps only.
        let wantsMessages = exporter != nil
        return hub.events { wantsMessages || !($0.kind is FeedMessageReceived) }
    }

    /// Takes events in until they end.
    func follow(_ events: EventStream) async {
        for await batch in events.batches {
            for event in batch { book.apply(event) }
            await exporter?.add(batch)
        }
    }

    /// Begins to answer monitors, and to send to the collector.
    ///
    /// - Parameter isTold: Whether the address, and the first failure of the collector, are written
    ///   to standard error.
    /// - Throws: `CommandFailure` if the address cannot be used.
    func start(isTold: Bool) async throws(CommandFailure) {
        try await listen(isTold: isTold)
        guard let exporter else { return }
        exporting = Task {
            await exporter.run(
                warn: { if isTold { StandardError.write("authtop: \($0)") } },
                reading: { await self.reading }
            )
        }
    }

    /// Answers no more, and lets the exporter send what is left.
    func finish() async {
        await exporter?.finish()
        await exporting?.value
        if let loss = await exporter?.loss { StandardError.write("authtop: \(loss)") }
        await server?.stop()
        (server, exporting) = (nil, nil)
    }

    private func listen(isTold: Bool) async throws(CommandFailure) {
        guard let address else { return }
        let server = ControlServer(named: "the port of --metrics") { [weak self] request in
            await self?.answer(request) ?? .refusal(503, "the run has ended")
        }
        self.server = server
        do throws(ProxyError) {
            let port = try await server.start(at: address.address, port: address.port)
            guard isTold else { return }
            StandardError.write("authtop: http://\(address.address.host):\(port)/metrics")
        } catch {
            throw CommandFailure(.badInput, "--metrics: \(error)")
        }
    }

    /// Everything that there is to read now.
    var reading: MetricsReading {
        get async {
            let dropped = await exporter?.dropped ?? 0
            return book.reading(version: version, undelivered: dropped, at: time.moment)
        }
    }
}
