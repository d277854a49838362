/// Writes a reading as text for a monitor.
package struct MetricsText: Sendable {
    /// The longest value of a label, in bytes.
    private static let labelLimit = 128
    private static let blank: UInt8 = 0x20

    private var bytes: [UInt8] = []
    private let format: MetricsFormat

    private init(_ format: MetricsFormat) {
        self.format = format
        bytes.reserveCapacity(16 << 10)
    }

    /// Returns the text of a reading.
    package static func bytes(of reading: MetricsReading, as format: MetricsFormat) -> [UInt8] {
        var text = MetricsText(format)
        for (metric, points) in reading.families { text.write(metric, points) }
        if format == .openMetrics {
            text.write("#", "EOF")
            text.endLine()
        }
        return text.bytes
    }

    private mutating func write(_ metric: Metric, _ points: [MetricPoint]) {
        let name = format == .openMetrics ? metric.name : metric.sampleName
        let kind = format == .prometheus && metric.kind == .info ? .gauge : metric.kind
        write("#", "TYPE", name, kind.rawValue)
        endLine()
        if let unit = metric.unit, format == .openMetrics {
            write("#", "UNIT", name, unit.rawValue)
            endLine()
        }
        write("#", "HELP", name, metric.summary)
        endLine()
        let sample = metric.sampleName
        for point in points {
            let labels = zip(metric.labels, point.labels)
            switch point.value {
            case .integer(let value):
                write(sample, labels)
                end(value)
            case .number(let value):
                write(sample, labels)
                end(value)
            case .histogram(let histogram): write(histogram, metric.name, labels)
            }
        }
    }

    private mutating func write(
        _ histogram: Histogram,
        _ name: String,
        _ labels: Zip2Sequence<[String], [String]>
    ) {
        var count = 0
        for (bound, counted) in zip(histogram.bounds + [.infinity], histogram.counts) {
            count += counted
            write(name, suffix: "_bucket", labels, bound: bound)
            end(count)
        }
        write(name, suffix: "_sum", labels)
        end(histogram.sum)
        write(name, suffix: "_count", labels)
        end(count)
    }

    // MARK: - Parts of a line

    private mutating func write(_ words: String...) {
        for (index, word) in words.enumerated() {
            if index > 0 { bytes.append(Self.blank) }
            bytes += word.utf8
        }
    }

    private mutating func write(
        _ name: String,
        suffix: String = "",
        _ labels: Zip2Sequence<[String], [String]>,
        bound: Double? = nil
    ) {
        bytes += name.utf8
        bytes += suffix.utf8
        var separator = UInt8(ascii: "{")
        for (label, value) in labels {
            bytes.append(separator)
            separator = UInt8(ascii: ",")
            bytes += label.utf8
            bytes += [UInt8(ascii: "="), UInt8(ascii: "\"")]
            writeEscaped(value)
            bytes.append(UInt8(ascii: "\""))
        }
        if let bound {
            bytes.append(separator)
            separator = UInt8(ascii: ",")
            bytes += "le=\"".utf8
            write(bound)
            bytes.append(UInt8(ascii: "\""))
        }
        if separator == UInt8(ascii: ",") { bytes.append(UInt8(ascii: "}")) }
    }

    /// Writes a value of a label, cut where it is too long.
    private mutating func writeEscaped(_ value: String) {
        let plain = value.utf8
        guard plain.count > Self.labelLimit || plain.contains(where: Self.isEscaped) else {
            bytes += plain
            return
        }
        var count = 0
        for scalar in value.unicodeScalars {
            let encoded = UTF8.encode(scalar).map(Array.init) ?? []
            count += encoded.count
            guard count <= Self.labelLimit else { return }
            switch scalar {
            case "\\": bytes += #"\\"#.utf8
            case "\"": bytes += #"\""#.utf8
            case "\n": bytes += #"\n"#.utf8
            default: bytes += encoded
            }
        }
    }

    private static func isEscaped(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "\\") || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\n")
    }

    private mutating func end(_ value: Int) {
        bytes.append(Self.blank)
        bytes += String(value).utf8
        endLine()
    }

    private mutating func end(_ value: Double) {
        bytes.append(Self.blank)
        write(value)
        endLine()
    }

    /// Writes a number as the formats want it, of which Swift's own form is one but for infinity.
    private mutating func write(_ value: Double) {
        bytes += (value == .infinity ? "+Inf" : value.description).utf8
    }

    private mutating func endLine() { bytes.append(UInt8(ascii: "\n")) }
}

extension Metric {
    /// The name of its samples.
    package var sampleName: String {
        switch kind {
        case .counter: "\(name)_total"
        case .info: "\(name)_info"
        case .gauge, .histogram: name
        }
    }
}
