import Basics
import Model
import Platform
import TestSupport
import Testing

@testable import authtop

@Suite("The settings of telemetry")
struct TelemetrySettingsTests {
    private static let endpoint = "OTEL_EXPORTER_OTLP_ENDPOINT"

    private static func settings(
        _ url: String? = nil,
        _ variables: [String: String] = [:]
    ) throws -> TelemetrySettings? {
        try TelemetrySettings(url, variables, version: "1.2.3")
    }

    @Test("nothing is sent unless a collector is named")
    func off() throws {
        #expect(try Self.settings() == nil)
        #expect(try Self.settings(nil, [Self.endpoint: ""]) == nil)
        let variables = [Self.endpoint: "http://127.0.0.1:4318", "OTEL_SDK_DISABLED": "true"]
        #expect(try Self.settings(nil, variables) == nil)
        #expect(try Self.settings("http://127.0.0.1:4318", variables) != nil)
        #expect(
            try Self.settings(
                nil,
                [Self.endpoint: "http://c:4317", "OTEL_EXPORTER_OTLP_PROTOCOL": "grpc"]
            ) == nil
        )
    }

    @Test("come from the variables, of which the command line has precedence")
    func variables() throws {
        let settings = try #require(
            try Self.settings(
                "https://collector.example.com/otlp/",
                [
                    Self.endpoint: "http://127.0.0.1:1",
                    "OTEL_EXPORTER_OTLP_HEADERS": "api-key=a%2Cb, x=y",
                    "OTEL_SERVICE_NAME": "probe", "OTEL_METRIC_EXPORT_INTERVAL": "1500",
                    "OTEL_RESOURCE_ATTRIBUTES": "service.name=other,env=a%20b",
                    "OTEL_TRACES_SAMPLER": "traceidratio", "OTEL_TRACES_SAMPLER_ARG": "0.5",
                ]
            )
        )
        #expect(settings.collector.description == "https://collector.example.com/otlp")
        #expect(settings.headers.map(\.name) == ["api-key", "x"])
        #expect(settings.headers.map { $0.value.reveal() } == ["a,b", "y"])
        #expect(!"\(settings)".contains("a,b"))
        #expect(
            settings.resource
                == ["service.name": "probe", "service.version": "1.2.3", "env": "a b"]
        )
        #expect(settings.interval == .milliseconds(1500))
        #expect(settings.sampler == TraceSampler(ratio: 0.5, followsParent: false))
    }

    @Test("without others, everything is sent once a minute as authtop")
    func defaults() throws {
        let settings = try #require(try Self.settings("http://collector:4318"))
        #expect(settings.resource["service.name"] == "authtop")
        #expect(settings.interval == .seconds(60))
        #expect(settings.sampler == .default && settings.headers.isEmpty)
    }

    @Test(
        "a mistake is named by its variable, without its value",
        arguments: [
            ("OTEL_EXPORTER_OTLP_HEADERS", "s3cr3t"), ("OTEL_EXPORTER_OTLP_HEADERS", "=s3cr3t"),
            ("OTEL_EXPORTER_OTLP_HEADERS", "a b=s3cr3t"),
            ("OTEL_EXPORTER_OTLP_HEADERS", "a=s3cr3t%0A"), ("OTEL_METRIC_EXPORT_INTERVAL", "0"),
            ("OTEL_METRIC_EXPORT_INTERVAL", "1s"), ("OTEL_TRACES_SAMPLER", "sometimes"),
            ("OTEL_TRACES_SAMPLER_ARG", "half"), ("OTEL_RESOURCE_ATTRIBUTES", "env"),
        ]
    )
    func mistakes(variable: String, value: String) {
        #expect {
            try Self.settings("https://collector.example.com", [variable: value])
        } throws: { error in
            guard let failure = error as? CommandFailure else { return false }
            return failure.exit == .badInput && failure.message.contains(variable)
                && !failure.message.contains("s3cr3t")
        }
    }

    @Test("a header, which may be a secret, is not sent in clear text to another machine")
    func clearText() throws {
        let headers = ["OTEL_EXPORTER_OTLP_HEADERS": "api-key=s3cr3t"]
        #expect(throws: CommandFailure.self) {
            try Self.settings("http://collector.example.com:4318", headers)
        }
        #expect(try Self.settings("http://127.0.0.1:4318", headers) != nil)
        #expect(try Self.settings("https://collector.example.com", headers) != nil)
    }
}
