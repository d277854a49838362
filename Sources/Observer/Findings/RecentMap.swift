/// Values by key, of which the oldest go when there are too many.
struct RecentMap<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private let limit: Int
    private var values: [Key: Value] = [:]
    private var order: [Key] = []

    init(limit: Int) {
        self.limit = limit
    }

    subscript(key: Key) -> Value? {
        get { values[key] }
        set {
            guard let newValue else {
                if values.removeValue(forKey: key) != nil { order.removeAll { $0 == key } }
                return
            }
            if values.updateValue(newValue, forKey: key) == nil { order.append(key) }
            guard order.count > limit else { return }
            for old in order.prefix(limit / 4 + 1) { values[old] = nil }
            order.removeFirst(limit / 4 + 1)
        }
    }

    /// Changes a value where it is, without a copy of it.
    mutating func change<Result>(
        _ key: Key,
        default initial: @autoclosure () -> Value,
        _ body: (inout Value) -> Result
    ) -> Result {
        if values[key] == nil { self[key] = initial() }
        return body(&values[key, default: initial()])
    }

    var all: [(key: Key, value: Value)] {
        order.compactMap { key in values[key].map { (key, $0) } }
    }
}
