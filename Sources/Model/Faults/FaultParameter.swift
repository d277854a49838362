import Basics
import Profiles

/// A number that users may set for a fault.
package struct FaultParameter: Sendable, Hashable {
    package enum Name: String, Sendable, Hashable {
        case seconds
        /// The status of a response.
        case status
        /// The code of a close frame.
        case code
        case count
        /// Whether a connection hangs, in place of being reset.
        case hangs
    }

    package let name: Name
    let range: ClosedRange<Double>
    /// The value unless another one is set, or `nil` if that is left to the fault.
    let usual: Double?
    /// Parts of the range that it may not have.
    private let gaps: [ClosedRange<Double>]
    /// The words for 0, 1 and so on, which are written in place of the number.
    private let words: [String]

    init(
        _ name: Name,
        _ range: ClosedRange<Double>,
        usual: Double? = nil,
        gaps: [ClosedRange<Double>] = [],
        words: [String] = []
    ) {
        self.name = name
        self.range = range
        self.usual = usual
        self.gaps = gaps
        self.words = words
    }

    static let serverStatus = FaultParameter(.status, 500...599)
    /// The codes that a close frame may carry, and 1006 for an end without a close frame.
    static let closeCode = FaultParameter(.code, 1000...4999)
    /// The same, without those that no close frame has (RFC 6455 section 7.4).
    static let sentCode = FaultParameter(
        .code,
        1000...4999,
        usual: 1006,
        gaps: [1004...1005, 1015...2999]
    )
    static let hangs = FaultParameter(.hangs, 0...1, usual: 0, words: ["reset", "hang"])

    /// Whether it is coded as a truth value.
    var isFlag: Bool { !words.isEmpty }

    /// Returns whether the parameter may have the value: only seconds may be a fraction.
    private func admits(_ value: Double) -> Bool {
        range.contains(value) && !gaps.contains { $0.contains(value) }
            && (name == .seconds && usual == nil || value == value.rounded())
    }

    // MARK: - Text

    /// Parses a value; seconds may also be a duration such as `5m`, which may be negative.
    ///
    /// - Returns: The value, or `nil` if it is none that the parameter may have.
    func value(in text: some StringProtocol) -> Double? {
        let text = String(text)
        guard words.isEmpty else { return words.firstIndex(of: text).map { Double($0) } }
        let number =
            Double(text) ?? (name == .seconds ? DurationParser.signedSeconds(in: text) : nil)
        return number.flatMap { admits($0) ? $0 : nil }
    }

    /// A value as it stands behind the name, or `nil` if nothing has to.
    func text(_ value: Double) -> String? {
        guard words.isEmpty else { return value == usual ? nil : words[value == 0 ? 0 : 1] }
        return range.lowerBound < 0 && value >= 0 ? "+\(value.shortest)" : value.shortest
    }

    /// The accepted notation, such as `±SECONDS` or `reset|hang`.
    var notation: String {
        guard words.isEmpty else { return words.joined(separator: "|") }
        return (range.lowerBound < 0 ? "±" : "") + name.rawValue.asciiUppercased
    }
}

extension FaultParameter: CustomStringConvertible {
    /// The name and the range, such as `seconds=0 to 600`.
    package var description: String {
        guard words.isEmpty else { return notation }
        return "\(name.rawValue)=\(range.lowerBound.shortest) to \(range.upperBound.shortest)"
    }
}

extension Double {
    /// The number without a fraction if it is whole.
    var shortest: String {
        Int(exactly: self).map { String($0) } ?? String(self)
    }
}
