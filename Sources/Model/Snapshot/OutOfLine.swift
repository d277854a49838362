/// A large value in memory of its own: in a table, of which up to a half is empty, it takes up a
/// reference.
struct OutOfLine<Value: Sendable>: Sendable {
    /// Has one element, which is changed in its place unless it is shared.
    private var storage: [Value]

    init(_ value: Value) {
        storage = [value]
    }

    var value: Value {
        _read { yield storage[0] }
        _modify { yield &storage[0] }
    }
}

extension OutOfLine: Equatable where Value: Equatable {}
