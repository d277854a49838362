/// A value for each process that has one: a dictionary without the hashing.
struct PerProcess<Value> {
    private var values: [Value?] = []

    init() {}

    subscript(process: Int) -> Value? {
        get { process < values.count ? values[process] : nil }
        _modify {
            while values.count <= process { values.append(nil) }
            yield &values[process]
        }
    }

    subscript(process: Int, default value: @autoclosure () -> Value) -> Value {
        get { self[process] ?? value() }
        _modify {
            // Moved out for the duration of the access, so that it is not copied.
            var held = take(process) ?? value()
            defer { values[process] = held }
            yield &held
        }
    }

    /// Removes the value and returns it.
    mutating func take(_ process: Int) -> Value? {
        var taken: Value?
        swap(&taken, &self[process])
        return taken
    }
}
