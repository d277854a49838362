/// The bytes that the peer of a stream may send before any of them are taken (RFC 9113 section 5.2).
///
/// What was taken may be sent again only once the other side takes more: no more than the window gathers
/// here, and what the other side may be written to.
struct StreamWindow {
    /// The window that every stream has, which lets an answer of usual length come at once.
    static let least = 16_384
    /// The window of a stream that has sent as much as it may, if there is room for it.
    static let largest = 65_536

    private(set) var size = least
    /// The bytes that were taken since the last grant.
    private var taken = 0

    init() {}

    mutating func take(_ count: Int) {
        taken += count
    }

    /// Returns the bytes that the peer may send in addition, or `nil` if it has enough left.
    mutating func grant(within budget: WindowBudget) -> Int? {
        guard taken * 2 >= size else { return nil }
        let growth = Self.largest - size
        if growth > 0, budget.take(growth) {
            size = Self.largest
            taken += growth
        }
        defer { taken = 0 }
        return taken
    }

    /// Gives back what it had beyond the least, at the end of its stream.
    mutating func close(within budget: WindowBudget) {
        budget.giveBack(size - Self.least)
        size = Self.least
    }
}

/// The memory that streams may take up beyond the least: those of one connection, or of all of them.
final class WindowBudget {
    private let limit: Int
    private let all: WindowBudget?
    private(set) var used = 0

    /// - Parameters:
    ///   - limit: In bytes.
    ///   - all: The budget of which it is a part, or `nil` if it is one for all.
    init(limit: Int, within all: WindowBudget? = nil) {
        self.limit = limit
        self.all = all
    }

    /// The bytes that are left, of all budgets together.
    var room: Int { min(limit - used, all?.room ?? .max) }

    /// Returns whether there was room.
    func take(_ count: Int) -> Bool {
        guard count <= room else { return false }
        reserve(count)
        return true
    }

    /// Takes, whether there is room or not.
    func reserve(_ count: Int) {
        used += count
        all?.reserve(count)
    }

    func giveBack(_ count: Int) {
        reserve(-count)
    }
}
