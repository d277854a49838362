/// A value that never changes and has many parts, so that a copy of its holder costs one reference.
package final class Shared<Value: Sendable>: Sendable {
    package let value: Value

    package init(_ value: Value) {
        self.value = value
    }
}

extension Shared: Equatable where Value: Equatable {
    package static func == (left: Shared, right: Shared) -> Bool {
        left === right || left.value == right.value
    }
}
