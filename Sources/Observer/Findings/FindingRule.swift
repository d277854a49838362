package import Model

/// Something that goes wrong in the traffic of apps, and how it is recognized.
package struct FindingRule: Sendable {
    package typealias Severity = ObservedFinding.Severity

    /// As users write it, such as `race`.
    package let name: String
    /// The finding in a sentence.
    package let summary: String
    /// The severity where its finding does not say otherwise.
    package let severity: Severity
    /// The remedy.
    package let remedy: String
    /// Public issues of this kind, as `owner/repository#number`.
    package let references: [String]
    let makeWatch: @Sendable () -> any FindingWatch

    init(
        _ name: String,
        _ severity: Severity,
        summary: String,
        remedy: String,
        references: [String] = [],
        watch: @escaping @Sendable () -> any FindingWatch
    ) {
        self.name = name
        self.summary = summary
        self.severity = severity
        self.remedy = remedy
        self.references = references
        makeWatch = watch
    }
}

extension FindingRule: CustomStringConvertible {
    package var description: String { name }
}
