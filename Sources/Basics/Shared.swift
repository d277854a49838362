/// A value that never changes and has many parts, so that a copy of its holder costs one reference.
public final class Shared<Value: Sendable>: Sendable {
    /// The value that all copies of the holder have.
    public let value: Value

    /// - Parameter value: What is to be shared.
    @inlinable public init(_ value: Value) {
        self.value = value
    }
}

extension Shared: Equatable where Value: Equatable {
    /// Whether both have the same value.
    @inlinable public static func == (left: Shared, right: Shared) -> Bool {
        left === right || left.value == right.value
    }
}

extension Shared: Hashable where Value: Hashable {
    /// Adds the value to a hash.
    @inlinable public func hash(into hasher: inout Hasher) {
        hasher.combine(value)
    }
}
