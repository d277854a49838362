import Profiles

/// A field that a filter can name, and the values that it takes.
package struct FilterField: Sendable, Equatable {
    package enum Kind: Sendable, Equatable {
        /// A part of a text.
        case text
        /// An HTTP status, or what stands in its place without an answer.
        case status
        case number
        /// The n-th pair of tokens, of any login or of one.
        case generation
        /// Whole milliseconds, as they are shown.
        case milliseconds
        case duration
        /// A time of day, as it is shown.
        case time
        /// The beginning of a fingerprint.
        case token
    }

    let name: String
    let kind: Kind

    init(_ name: String, _ kind: Kind = .text) {
        self.name = name
        self.kind = kind
    }

    /// `status: path:`.
    static func names(of fields: [FilterField]) -> String {
        fields.map { "\($0.name):" }.joined(separator: " ")
    }

    /// Examples of every form of a value.
    var expected: String {
        switch kind {
        case .text: "a part of it"
        case .status: "401, 4xx, >=500, 400..499, lost or unsent"
        case .number: "7, >7 or 3..7"
        case .generation: "7, 2.7, >7 or 3..7"
        case .milliseconds: "100, >100 or 10..50"
        case .duration: ">10s, <500ms or 5s..1m"
        case .time: "14:02, >14:02 or 14:02..14:05"
        case .token: "up to 8 hex digits, such as 3f9c"
        }
    }

    /// Returns the pattern of a value, or `nil` if the field cannot have it.
    func pattern(_ value: String) -> FilterPattern? {
        switch kind {
        case .text: return .text(Needle(value))
        case .status:
            if ["lost", "unsent"].contains(where: { $0.hasPrefix(value.lowercased()) }) {
                return .text(Needle(value))
            }
            if value.wholeMatch(of: /[0-9][0-9xX]{0,2}/) != nil { return .text(Needle(value)) }
        case .generation:
            if let match = value.wholeMatch(of: /([0-9]{1,9})\.([0-9]{1,9})/),
                let login = Int(match.output.1), let number = Int(match.output.2)
            {
                return .generation(login: login, number: number)
            }
        case .token:
            let digits = value.lowercased().filter { $0 != "‹" && $0 != "›" }
            return digits.wholeMatch(of: /[0-9a-f]{1,8}/) == nil ? nil : .token(digits)
        case .number, .milliseconds, .duration, .time: break
        }
        return ranges(value).map(FilterPattern.ranges)
    }

    /// Returns what `100`, `>100`, `<=100` or `10..50` covers.
    private func ranges(_ value: String) -> [Range<Double>]? {
        if let match = value.wholeMatch(of: /(.+)\.\.(.+)/) {
            guard let first = one(match.output.1), let last = one(match.output.2) else {
                return nil
            }
            if first.lowerBound < last.upperBound { return [first.lowerBound..<last.upperBound] }
            // From an evening to the next morning.
            return kind == .time ? [first.lowerBound..<86_400, 0..<last.upperBound] : nil
        }
        if let match = value.wholeMatch(of: /([<>]=?)(.+)/) {
            guard let one = one(match.output.2) else { return nil }
            switch match.output.1 {
            case ">": return [one.upperBound..<Double.infinity]
            case ">=": return [one.lowerBound..<Double.infinity]
            case "<": return [-Double.infinity..<one.lowerBound]
            default: return [-Double.infinity..<one.upperBound]
            }
        }
        // No token is exactly so old.
        return kind == .duration ? nil : one(value[...]).map { [$0] }
    }

    /// Returns what is shown as `value`: of a time without seconds, the whole minute.
    private func one(_ value: Substring) -> Range<Double>? {
        switch kind {
        case .text, .token: return nil
        case .duration:
            guard let seconds = DurationParser.seconds(in: value) else { return nil }
            return seconds..<seconds.nextUp
        case .time:
            guard
                let match = value.wholeMatch(of: /([0-9]{1,2}):([0-9]{2})(?::([0-9]{2}))?/),
                let hour = Int(match.output.1), let minute = Int(match.output.2),
                let second = match.output.3.map({ Int($0) }) ?? 0,
                hour < 24, minute < 60, second < 60
            else { return nil }
            let start = Double(hour * 3_600 + minute * 60 + second)
            return start..<start + (match.output.3 == nil ? 60 : 1)
        case .status, .number, .generation, .milliseconds:
            let digits = value.hasPrefix("#") ? value.dropFirst() : value
            guard !digits.isEmpty, digits.utf8.allSatisfy({ (48...57).contains($0) }),
                let number = Int64(digits), number < 1 << 52
            else { return nil }
            return Double(number)..<Double(number + 1)
        }
    }
}
