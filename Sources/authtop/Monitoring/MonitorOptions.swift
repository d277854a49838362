import ArgumentParser
import Basics
import Model
import Platform
import Profiles
import Proxy

/// Options for what monitors read of a run.
struct MonitorOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            """
            Answer monitors at this address, such as 127.0.0.1:9464, or a port of 127.0.0.1: GET \
            /metrics, /healthz, /readyz and /probe?profile=NAME.
            """,
            valueName: "address:port"
        )
    )
    var metrics: MonitorAddress?

    @Option(
        help: ArgumentHelp(
            """
            Send metrics, spans and log records to the OpenTelemetry collector at this URL (OTLP over \
            HTTP), such as http://127.0.0.1:4318; default: OTEL_EXPORTER_OTLP_ENDPOINT.
            """,
            valueName: "url"
        )
    )
    var otlp: String?

    /// Creates what monitors read.
    ///
    /// - Parameters:
    ///   - sessions: The sessions that are known before their first event.
    ///   - environment: The environment.
    /// - Returns: The monitor, or `nil` if nothing is to be read.
    /// - Throws: `CommandFailure` if the collector cannot be used.
    func monitor(
        of sessions: [(id: SessionID, profile: String)],
        in environment: LiveEnvironment
    ) throws -> Monitor? {
        let version = AuthtopCommand.configuration.version
        let exporter = try TelemetrySettings(otlp, environment.variables, version: version)
            .map { try TelemetryExporter($0, version: version, in: environment) }
        guard metrics != nil || exporter != nil else { return nil }
        return Monitor(
            of: sessions,
            at: metrics,
            exporter,
            version: version,
            time: environment.time
        )
    }
}

/// An address of this machine with a port, such as `127.0.0.1:9464` or `[::1]:9464`; a port alone is
/// one of 127.0.0.1, and 0 chooses a free one.
struct MonitorAddress: ExpressibleByArgument, Sendable, Hashable {
    let address: NetworkAddress
    let port: Int

    init?(argument: String) {
        if let port = UInt16(argument) {
            self.init(address: .loopback, port: Int(port))
            return
        }
        guard let host = RequestHost(argument), let port = host.port,
            let address = NetworkAddress(host.name == "localhost" ? "127.0.0.1" : host.name)
        else { return nil }
        self.init(address: address, port: Int(port))
    }

    private init(address: NetworkAddress, port: Int) {
        self.address = address
        self.port = port
    }
}
