import Basics
import Model
import Platform
import Profiles

/// Where telemetry is sent, and what of it: `--otlp` and the variables of OpenTelemetry.
struct TelemetrySettings: Sendable {
    /// The base URL of the collector.
    let collector: BackendOrigin
    /// Fields of each request, which may be secrets.
    let headers: [(name: String, value: Secret)]
    /// The attributes of the program.
    let resource: [String: String]
    /// From one export of metrics to the next.
    let interval: Duration
    let sampler: TraceSampler

    private static let pairLimit = 64
    private static let defaultInterval = Duration.seconds(60)

    /// Creates the settings; `nil` if nothing is to be sent.
    ///
    /// - Parameters:
    ///   - url: That of the command line, which has precedence.
    ///   - variables: Those of the environment.
    ///   - version: That of this program.
    /// - Throws: `CommandFailure` with the name of the option or the variable that is wrong.
    init?(
        _ url: String?,
        _ variables: [String: String],
        version: String
    ) throws(CommandFailure) {
        func variable(_ name: Variable) -> String? {
            variables[name.rawValue].flatMap { $0.isEmpty ? nil : $0 }
        }
        let isDisabled = variable(.disabled)?.isEqualIgnoringCase("true") ?? false
        guard let text = url ?? (isDisabled ? nil : variable(.endpoint)) else { return nil }
        let name = url == nil ? Variable.endpoint.rawValue : "--otlp"
        if url == nil, variable(.protocol)?.isEqualIgnoringCase("grpc") ?? false {
            StandardError.write(
                "authtop: \(name) is not used: \(Variable.protocol.rawValue) is grpc, and authtop "
                    + "speaks HTTP; --otlp URL sends to another port"
            )
            return nil
        }
        var headers: [(name: String, value: Secret)] = []
        for (name, value) in try Self.pairs(variable(.headers), of: .headers) {
            guard name.utf8.allSatisfy(\.isTokenByte),
                value.utf8.allSatisfy({ (0x20...0x7E).contains($0) })
            else { throw Self.wrong(.headers, "name=value, separated by commas") }
            headers.append((name, Secret(value)))
        }
        self.headers = headers
        do throws(BackendOriginError) {
            collector = try BackendOrigin(parsing: text, allowInsecure: headers.isEmpty)
        } catch {
            var message = error.description
            if case .clearText(let url) = error {
                message =
                    "\(url) would get \(Variable.headers.rawValue), which may be a secret, in clear "
                    + "text: use https"
            }
            throw CommandFailure(.badInput, "\(name): \(message)")
        }
        let attributes = try Self.pairs(variable(.attributes), of: .attributes)
        var resource = Dictionary(attributes) { first, _ in first }
        resource["service.name"] = variable(.name) ?? resource["service.name"] ?? "authtop"
        resource["service.version"] = resource["service.version"] ?? version
        self.resource = resource
        interval =
            try variable(.interval).map { text throws(CommandFailure) in
                guard let milliseconds = Int(text), (100...86_400_000).contains(milliseconds) else {
                    throw Self.wrong(.interval, "milliseconds from 100 to a day")
                }
                return .milliseconds(milliseconds)
            } ?? Self.defaultInterval
        let argument = variable(.samplerArgument)
        let ratio = argument.flatMap(Double.init)
        guard argument == nil || ratio != nil else {
            throw Self.wrong(.samplerArgument, "a number from 0 to 1")
        }
        sampler =
            try variable(.sampler).map { text throws(CommandFailure) in
                guard let sampler = TraceSampler(name: text, argument: ratio) else {
                    throw Self.wrong(
                        .sampler,
                        "always_on, always_off or traceidratio, or one of them after parentbased_"
                    )
                }
                return sampler
            } ?? .default
    }

    private enum Variable: String {
        case endpoint = "OTEL_EXPORTER_OTLP_ENDPOINT"
        case headers = "OTEL_EXPORTER_OTLP_HEADERS"
        case `protocol` = "OTEL_EXPORTER_OTLP_PROTOCOL"
        case name = "OTEL_SERVICE_NAME"
        case attributes = "OTEL_RESOURCE_ATTRIBUTES"
        case interval = "OTEL_METRIC_EXPORT_INTERVAL"
        case sampler = "OTEL_TRACES_SAMPLER"
        case samplerArgument = "OTEL_TRACES_SAMPLER_ARG"
        case disabled = "OTEL_SDK_DISABLED"
    }

    /// The value may be a secret, and is not shown.
    private static func wrong(_ variable: Variable, _ expected: String) -> CommandFailure {
        CommandFailure(.badInput, "\(variable.rawValue): expected \(expected)")
    }

    /// Returns names and values that are percent-encoded, as in W3C Baggage.
    private static func pairs(
        _ text: String?,
        of variable: Variable
    ) throws(CommandFailure) -> [(String, String)] {
        try (text ?? "").parts(at: ",", limit: pairLimit).map { pair throws(CommandFailure) in
            guard let (name, value) = pair.halves(at: "="), !name.trimmingBlanks.isEmpty else {
                throw wrong(variable, "name=value, separated by commas")
            }
            return (
                String(name.trimmingBlanks),
                PercentEncoding.decode(value.trimmingBlanks, plusIsSpace: false)
            )
        }
    }
}
