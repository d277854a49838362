/// The latest tokens of one kind that a family was given, oldest first.
struct TokenHistory<Token: Sendable>: Sendable {
    /// Older ones are forgotten, and then count as never issued.
    static var capacity: Int { 256 }

    private var storage: [Token] = []
    private var oldest = 0

    /// - Returns: The token that had to go.
    mutating func append(_ token: Token) -> Token? {
        guard storage.count == Self.capacity else {
            storage.append(token)
            return nil
        }
        let evicted = storage[oldest]
        storage[oldest] = token
        oldest = (oldest + 1) % Self.capacity
        return evicted
    }

    var elements: [Token] {
        Array(storage[oldest...] + storage[..<oldest])
    }
}
