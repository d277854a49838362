import Basics

/// The pattern that a value is compared with.
enum FilterPattern: Sendable, Equatable {
    case text(Needle)
    case ranges([Range<Double>])
    case generation(login: Int, number: Int)
    /// The first digits of a fingerprint.
    case token(String)

    /// For a text: whether it contains the pattern.
    func isIn(_ text: String?) -> Bool {
        guard case .text(let needle) = self else { return false }
        return needle.isIn(text)
    }

    /// For a number: the whole of it.
    func matches(_ number: some BinaryInteger) -> Bool {
        switch self {
        case .text(let needle): needle.isNumber(number)
        case .ranges(let ranges): ranges.contains { $0.contains(Double(number)) }
        case .generation, .token: false
        }
    }

    func matches(seconds: Double) -> Bool {
        guard case .ranges(let ranges) = self else { return false }
        return ranges.contains { $0.contains(seconds) }
    }

    /// For a status: `401`, or with places left open `4xx`, `40`.
    func matches(status: Int) -> Bool {
        if case .text(let needle) = self { return needle.isStatus(status) }
        return matches(status)
    }

    /// For the n-th pair of a login; 0 is none.
    func matches(generation: Int, login: Int) -> Bool {
        guard generation > 0 else { return false }
        if case .generation(login, generation) = self { return true }
        return matches(generation)
    }

    func matches(_ fingerprint: Fingerprint?) -> Bool {
        guard case .token(let digits) = self, let fingerprint else { return false }
        return fingerprint.digits.hasPrefix(digits)
    }
}
