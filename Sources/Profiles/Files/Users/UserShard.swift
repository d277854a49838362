/// One of several equal parts of a population, by which machines share it: `2/4`.
///
/// The part of a session follows from its name alone: FNV-1a of 64 bits over the name's UTF-8, modulo
/// the number of parts. It is the same in every release.
package struct UserShard: Sendable, Hashable {
    /// The largest number of parts.
    package static let countLimit = 1_024

    /// From 1 to `count`.
    package let number: Int
    package let count: Int

    /// Parses `K/N`; `nil` unless `K` is from 1 to `N`.
    package init?(_ text: String) {
        let parts = text.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
            .map { Int(Substring($0)) }
        guard parts.count == 2, let number = parts[0], let count = parts[1],
            (1...Self.countLimit).contains(count), (1...count).contains(number)
        else { return nil }
        self.number = number
        self.count = count
    }

    /// Whether a session belongs to this part.
    package func contains(_ name: String) -> Bool {
        Self.hash(name) % UInt64(count) == UInt64(number - 1)
    }

    /// FNV-1a with 64 bits (RFC 9923).
    static func hash(_ text: String) -> UInt64 {
        text.utf8.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01B3 }
    }
}
