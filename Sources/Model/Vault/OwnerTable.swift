package import FoundationEssentials

/// A run that has the sessions of a part of a profile's users, until a time that it keeps moving on.
package struct Ownership: Sendable, Hashable, Codable {
    /// Distinguishes runs, also those of one process number.
    package var run: String
    package var host: String
    package var process: Int
    /// The number of the part, from 1, and how many parts there are.
    package var part: Int
    package var partCount: Int
    package var expiresAt: Date
    /// The kernel on which the run holds a lock for as long as it lives, or `nil` if it holds none.
    package var kernel: String?

    package init(
        run: String,
        host: String,
        process: Int,
        part: Int,
        partCount: Int,
        expiresAt: Date
    ) {
        self.run = run
        self.host = host
        self.process = process
        self.part = part
        self.partCount = partCount
        self.expiresAt = expiresAt
    }

    /// Whether a session can belong to both parts: their numbers are the same modulo the greatest
    /// common divisor of the numbers of parts.
    func overlaps(_ other: Ownership) -> Bool {
        guard partCount > 0, other.partCount > 0 else { return true }
        var (larger, smaller) = (partCount, other.partCount)
        while smaller != 0 { (larger, smaller) = (smaller, larger % smaller) }
        return part % larger == other.part % larger
    }
}

/// The runs that have the sessions of a profile's users.
///
/// A run claims its part for `lease`, and claims it again before that is over. One that was killed
/// loses it then, or at once where its lock shows that it is gone; one that was stopped, or cannot
/// write, gives up `margin` before, so that clocks of machines may differ by that much.
package struct OwnerTable: Sendable, Hashable, Codable {
    /// The time for which a part is claimed.
    package static let lease = Duration.seconds(15)
    /// The time after which it is claimed again.
    package static let renewal = Duration.seconds(4)
    /// The time before its end from which a run does not count on it.
    package static let margin = Duration.seconds(5)
    /// The largest number of runs.
    static let limit = 1_024

    package private(set) var owners: [Ownership] = []

    package init() {}

    /// Claims a part, or claims it again.
    ///
    /// - Parameters:
    ///   - claim: The part, with the end of the lease.
    ///   - now: The present time.
    /// - Returns: The run that has a session of it, which refuses the claim, or `nil` if none has.
    package mutating func claim(_ claim: Ownership, at now: Date) -> Ownership? {
        owners.removeAll { $0.expiresAt <= now || $0.run == claim.run }
        if let other = owners.first(where: { $0.overlaps(claim) }) { return other }
        // As many as there can be parts: a file with more was not written by this program.
        if owners.count >= Self.limit { return owners.first }
        owners.append(claim)
        return nil
    }

    /// Gives a part up.
    package mutating func release(_ run: String) {
        owners.removeAll { $0.run == run }
    }
}
