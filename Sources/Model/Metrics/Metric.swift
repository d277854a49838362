/// A family of metrics: its name, its meaning, and how it is read.
package struct Metric: Sendable {
    package enum Kind: String, Sendable {
        case counter
        case gauge
        case histogram
        case info
    }

    /// The unit of the values, with which the name ends.
    package enum Unit: String, Sendable {
        case seconds
    }

    /// Without `_total` or `_info`.
    package let name: String
    package let kind: Kind
    package let unit: Unit?
    /// The names of its labels, in the order of the values of its points.
    package let labels: [String]
    package let summary: String
    private let read: @Sendable (MetricsReading) -> [MetricPoint]

    private init(
        _ kind: Kind,
        _ name: String,
        unit: Unit?,
        labels: [String],
        _ summary: String,
        read: @escaping @Sendable (MetricsReading) -> [MetricPoint]
    ) {
        self.kind = kind
        self.name = name
        self.unit = unit
        self.labels = labels
        self.summary = summary
        self.read = read
    }

    /// A metric of each profile, whose name is the first label.
    static func ofProfile(
        _ kind: Kind,
        _ name: String,
        unit: Unit? = nil,
        labels: [String] = [],
        _ summary: String,
        _ read: @escaping @Sendable (MetricsReading.Profile) -> [MetricPoint]
    ) -> Metric {
        Metric(kind, name, unit: unit, labels: ["profile"] + labels, summary) { reading in
            reading.profiles.flatMap { profile in
                read(profile).map { point in
                    MetricPoint([profile.counts.name] + point.labels, point.value)
                }
            }
        }
    }

    /// A metric of the run.
    static func ofRun(
        _ kind: Kind,
        _ name: String,
        labels: [String] = [],
        _ summary: String,
        _ read: @escaping @Sendable (MetricsReading.Run) -> MetricPoint
    ) -> Metric {
        Metric(kind, name, unit: nil, labels: labels, summary) { reading in
            reading.run.map { [read($0)] } ?? []
        }
    }

    func points(in reading: MetricsReading) -> [MetricPoint] { read(reading) }
}

/// One value of a metric, with the values of its labels.
package struct MetricPoint: Sendable, Equatable {
    package enum Value: Sendable, Equatable {
        case integer(Int)
        case number(Double)
        case histogram(Histogram)
    }

    package var labels: [String]
    package var value: Value

    init(_ labels: [String] = [], _ value: Value) {
        self.labels = labels
        self.value = value
    }
}
