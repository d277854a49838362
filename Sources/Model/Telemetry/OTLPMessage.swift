package import Basics
import FoundationEssentials

/// Messages of the OpenTelemetry protocol (OTLP 1) as JSON: ids are hexadecimal, 64-bit integers are
/// texts, enumerations are numbers.
package struct OTLPMessage: Sendable {
    /// What a message brings, and the end of the path that it is sent to.
    package enum Signal: String, Sendable, CaseIterable {
        case metrics
        case spans = "traces"
        case logs

        package var path: String { "/v1/\(rawValue)" }
    }

    private let resource: [String: String]
    private let version: String

    /// - Parameters:
    ///   - resource: The attributes of the program, such as `service.name`.
    ///   - version: That of this program.
    package init(resource: [String: String], version: String) {
        self.resource = resource
        self.version = version
    }

    package func metrics(
        _ reading: MetricsReading,
        since start: Moment,
        at moment: Moment
    ) -> JSONValue {
        let metrics = reading.families.map { metric, points in
            Self.metric(metric, points, since: start.wall.nanoseconds, at: moment.wall.nanoseconds)
        }
        return message("resourceMetrics", "scopeMetrics", "metrics", metrics)
    }

    package func spans(_ spans: [Span]) -> JSONValue {
        message("resourceSpans", "scopeSpans", "spans", spans.map(Self.span))
    }

    /// - Parameters:
    ///   - events: The events, whose lines are the bodies of the records.
    ///   - causes: Makes the sentences in them.
    /// - Returns: The message.
    package func logs(_ events: [SessionEvent], causes: any CauseFormatter) -> JSONValue {
        message(
            "resourceLogs",
            "scopeLogs",
            "logRecords",
            events.map { Self.record($0, causes: causes) }
        )
    }

    private func message(
        _ outer: String,
        _ inner: String,
        _ name: String,
        _ items: [JSONValue]
    ) -> JSONValue {
        let scope: JSONValue = ["name": "authtop", "version": .string(version)]
        let attributes = resource.sorted { $0.key < $1.key }.map {
            Self.attribute($0.key, ["stringValue": .string($0.value)])
        }
        return [
            outer: [
                [
                    "resource": ["attributes": .array(attributes)],
                    inner: [["scope": scope, name: .array(items)]],
                ]
            ]
        ]
    }

    private static func attribute(_ name: String, _ value: JSONValue) -> JSONValue {
        ["key": .string(name), "value": value]
    }

    // MARK: - Metrics

    private static func metric(
        _ metric: Metric,
        _ points: [MetricPoint],
        since start: JSONValue,
        at time: JSONValue
    ) -> JSONValue {
        let points = points.map { point in
            var members = value(of: point)
            let attributes = zip(metric.labels, point.labels).map { name, value in
                attribute(name, ["stringValue": .string(value)])
            }
            members["attributes"] = .array(attributes)
            members["timeUnixNano"] = time
            if metric.kind != .gauge, metric.kind != .info { members["startTimeUnixNano"] = start }
            return JSONValue.object(members)
        }
        var members: [String: JSONValue] = [
            "name": .string(metric.name), "description": .string(metric.summary),
        ]
        members["unit"] = metric.unit.map { $0 == .seconds ? "s" : "1" } ?? "1"
        // 2 is cumulative.
        switch metric.kind {
        case .gauge, .info: members["gauge"] = ["dataPoints": .array(points)]
        case .counter:
            members["sum"] = [
                "dataPoints": .array(points), "aggregationTemporality": 2, "isMonotonic": true,
            ]
        case .histogram:
            members["histogram"] = [
                "dataPoints": .array(points), "aggregationTemporality": 2,
            ]
        }
        return .object(members)
    }

    private static func value(of point: MetricPoint) -> [String: JSONValue] {
        switch point.value {
        case .integer(let value): ["asInt": .string(String(value))]
        case .number(let value): ["asDouble": .number(value)]
        case .histogram(let histogram):
            [
                "count": .string(String(histogram.count)),
                "sum": .number(histogram.sum),
                "bucketCounts": .array(histogram.counts.map { .string(String($0)) }),
                "explicitBounds": .array(histogram.bounds.map(JSONValue.number)),
            ]
        }
    }

    // MARK: - Spans and records

    private static func span(_ span: Span) -> JSONValue {
        var members: [String: JSONValue] = [
            "traceId": .string(span.context.trace),
            "spanId": .string(span.context.span),
            "name": .string(span.name),
            "kind": .integer(Int64(span.kind.rawValue)),
            "startTimeUnixNano": span.startedAt.wall.nanoseconds,
            "endTimeUnixNano": span.endedAt.wall.nanoseconds,
            "attributes": .array(span.attributes.map { attribute($0.name, $0.value.json) }),
            "status": ["code": .integer(Int64(span.status.rawValue))],
        ]
        members["parentSpanId"] = span.parent.map(JSONValue.string)
        if !span.links.isEmpty {
            members["links"] = .array(
                span.links.map { ["traceId": .string($0.trace), "spanId": .string($0.span)] }
            )
        }
        return .object(members)
    }

    private static func record(
        _ event: SessionEvent,
        causes: any CauseFormatter
    ) -> JSONValue {
        let (number, name) = event.kind.level.severity
        return [
            "timeUnixNano": event.moment.wall.nanoseconds,
            "observedTimeUnixNano": event.moment.wall.nanoseconds,
            "severityNumber": .integer(number),
            "severityText": .string(name),
            "body": ["stringValue": .string(EventLine.text(of: event, causes: causes))],
            "attributes": [
                attribute("event.name", ["stringValue": .string("authtop." + event.kind.name)]),
                attribute("authtop.profile", ["stringValue": .string(event.profile)]),
                attribute(
                    "authtop.session",
                    ["stringValue": .string(event.session.description)]
                ),
            ],
        ]
    }
}

extension Span.Value {
    fileprivate var json: JSONValue {
        switch self {
        case .text(let text): ["stringValue": .string(text)]
        case .integer(let number): ["intValue": .string(String(number))]
        }
    }
}

extension EventLevel {
    /// The number and the name of the severity in OpenTelemetry's model of logs.
    fileprivate var severity: (Int64, String) {
        switch self {
        case .trace: (1, "TRACE")
        case .debug: (5, "DEBUG")
        case .info: (9, "INFO")
        case .warning: (13, "WARN")
        case .error: (17, "ERROR")
        }
    }
}

extension Date {
    /// The nanoseconds since 1970, as text; 0 for a time before.
    fileprivate var nanoseconds: JSONValue {
        let microseconds = (max(0, timeIntervalSince1970) * 1e6).rounded()
        guard microseconds < 9e15 else { return "0" }
        return .string(String(Int64(microseconds) * 1_000))
    }
}
