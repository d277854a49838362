import Basics

/// The formats in which Prometheus and others read metrics.
package enum MetricsFormat: String, Sendable, CaseIterable {
    /// Prometheus' text format 0.0.4.
    case prometheus = "text/plain;version=0.0.4;charset=utf-8"
    /// OpenMetrics 1.0.0.
    case openMetrics = "application/openmetrics-text;version=1.0.0;charset=utf-8"

    package var contentType: String { rawValue }

    /// Chooses the format that a request prefers (RFC 9110 section 12.5.1).
    ///
    /// - Parameter accept: The value of its `Accept`, or `nil` if it has none.
    package init(accepting accept: String?) {
        var weights: [String: Double] = [:]
        for range in (accept ?? "").parts(at: ",", limit: 32) {
            let parts = range.parts(at: ";").map(\.trimmingBlanks)
            guard let name = parts.first?.asciiLowercased else { continue }
            let parameters = parts.dropFirst().map(\.asciiLowercased)
            // Later versions are other formats.
            let version = parameters.first { $0.begins(with: "version=") }
            if name == Self.openMetricsName, let version,
                !["version=1.0.0", "version=0.0.1"].contains(version)
            {
                continue
            }
            let weight = parameters.first { $0.begins(with: "q=") }.map { Double($0.dropFirst(2)) }
            weights[name] = max(weights[name] ?? 0, (weight ?? 1) ?? 0)
        }
        let open = weights[Self.openMetricsName] ?? 0
        let text = weights["text/plain"] ?? weights["text/*"] ?? weights["*/*"] ?? 0
        self = open > 0 && open >= text ? .openMetrics : .prometheus
    }

    private static let openMetricsName = "application/openmetrics-text"
}
