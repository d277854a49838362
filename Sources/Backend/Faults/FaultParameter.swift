/// The number that a person may give with a fault, in place of what it would draw.
package struct FaultParameter: Sendable, Hashable {
    package enum Name: String, Sendable, Hashable {
        case seconds
        /// Of an answer.
        case status
        /// Of a close frame.
        case code
    }

    package let name: Name
    package let range: ClosedRange<Double>

    package init(_ name: Name, _ range: ClosedRange<Double>) {
        self.name = name
        self.range = range
    }

    static let serverStatus = FaultParameter(.status, 500...599)
    /// The codes that a close frame may carry, and 1006, for an end without one.
    static let closeCode = FaultParameter(.code, 1000...4999)

    /// Whether a fault can have it: codes and statuses are whole.
    package func admits(_ value: Double) -> Bool {
        range.contains(value) && (name == .seconds || value == value.rounded())
    }
}
