import Basics

/// A field of an event's line, as the schema describes it.
struct FieldDescription: Sendable, Hashable {
    enum FieldType: String, Sendable, Hashable {
        case text
        case integer
        case number
        case flag
        /// A duration.
        case seconds
        /// A duration.
        case milliseconds
        /// An instant on the wall clock: ISO 8601 in UTC with milliseconds.
        case time
        case list
        case object
    }

    let name: String
    let type: FieldType
    let summary: String
    /// The texts that it can be; empty if it can be any.
    var values: [String] = []
    /// Whether there are lines of the kind without it.
    var isOptional: Bool
}

/// One kind of event: its name and its fields.
struct EventDefinition: Sendable {
    let name: String
    let summary: String
    let fields: [FieldDescription]
}

/// A field together with how it is read from what an event carries.
package struct EventField<Kind>: Sendable {
    typealias Read<Value> = @Sendable (Kind) -> Value

    let description: FieldDescription
    let write: @Sendable (Kind, inout FlatJSON, any CauseFormatter) -> Void

    private init<Value>(
        _ type: FieldDescription.FieldType,
        _ name: String,
        _ summary: String,
        values: [String] = [],
        isOptional: Bool,
        _ read: @escaping Read<Value?>,
        _ set: @escaping @Sendable (inout FlatJSON, String, Value) -> Void
    ) {
        description = FieldDescription(
            name: name,
            type: type,
            summary: summary,
            values: values,
            isOptional: isOptional
        )
        write = { event, line, _ in
            if let value = read(event) { set(&line, name, value) }
        }
    }

    /// A message for users, which the writer of the line formats from a cause.
    ///
    /// Another field has the cause's code for programs.
    static func sentence(
        _ name: String,
        _ summary: String,
        isOptional: Bool = false,
        _ read: @escaping @Sendable (Kind, any CauseFormatter) -> String?
    ) -> Self {
        Self(
            FieldDescription(name: name, type: .text, summary: summary, isOptional: isOptional)
        ) { event, line, causes in line.set(name, read(event, causes)) }
    }

    private init(
        _ description: FieldDescription,
        _ write: @escaping @Sendable (Kind, inout FlatJSON, any CauseFormatter) -> Void
    ) {
        self.description = description
        self.write = write
    }

    /// - Parameters:
    ///   - name: The name.
    ///   - summary: What it says.
    ///   - values: The texts that it can be; empty if it can be any.
    ///   - isOptional: Whether there are lines without it.
    ///   - read: Its value.
    /// - Returns: The field.
    static func text(
        _ name: String,
        _ summary: String,
        among values: [String] = [],
        isOptional: Bool = false,
        _ read: @escaping Read<String?>
    ) -> Self {
        Self(.text, name, summary, values: values, isOptional: isOptional, read) { $0.set($1, $2) }
    }

    /// A text that is one of a few.
    static func choice<Choice: CaseIterable & RawRepresentable & Sendable>(
        _ name: String,
        _ summary: String,
        among choices: [Choice] = Array(Choice.allCases),
        isOptional: Bool = false,
        _ read: @escaping Read<Choice?>
    ) -> Self where Choice.RawValue == String {
        .text(name, summary, among: choices.map(\.rawValue), isOptional: isOptional) {
            read($0)?.rawValue
        }
    }

    static func integer(
        _ name: String,
        _ summary: String,
        isOptional: Bool = false,
        _ read: @escaping Read<Int?>
    ) -> Self {
        Self(.integer, name, summary, isOptional: isOptional, read) { $0.set($1, $2) }
    }

    static func flag(
        _ name: String,
        _ summary: String,
        isOptional: Bool = false,
        _ read: @escaping Read<Bool?>
    ) -> Self {
        Self(.flag, name, summary, isOptional: isOptional, read) { $0.set($1, .bool($2)) }
    }

    static func seconds(
        _ name: String,
        _ summary: String,
        isOptional: Bool = false,
        _ read: @escaping Read<Double?>
    ) -> Self {
        Self(.seconds, name, summary, isOptional: isOptional, read) { $0.set($1, seconds: $2) }
    }

    /// As `seconds`, for durations that may be far below a millisecond.
    static func fineSeconds(
        _ name: String,
        _ summary: String,
        _ read: @escaping Read<Double?>
    ) -> Self {
        Self(.seconds, name, summary, isOptional: false, read) {
            $0.set($1, seconds: $2, scale: 1_000_000)
        }
    }

    /// `read` returns seconds.
    static func milliseconds(
        _ name: String,
        _ summary: String,
        isOptional: Bool = false,
        _ read: @escaping Read<Double?>
    ) -> Self {
        Self(.milliseconds, name, summary, isOptional: isOptional, read) {
            $0.set($1, seconds: $2 * 1000)
        }
    }

    static func time(
        _ name: String,
        _ summary: String,
        isOptional: Bool = false,
        _ read: @escaping Read<Instant?>
    ) -> Self {
        Self(.time, name, summary, isOptional: isOptional, read) { $0.set($1, $2) }
    }

    static func list(
        _ name: String,
        _ summary: String,
        _ read: @escaping Read<[JSONValue]>
    ) -> Self {
        Self(.list, name, summary, isOptional: false, read) { $0.set($1, .array($2)) }
    }

    static func object(
        _ name: String,
        _ summary: String,
        _ read: @escaping Read<[String: JSONValue]?>
    ) -> Self {
        Self(.object, name, summary, isOptional: true, read) { $0.set($1, .object($2)) }
    }
}

extension FlatJSON {
    mutating func set<Kind: EventKind>(_ event: Kind, _ causes: any CauseFormatter) {
        for field in Kind.fields { field.write(event, &self, causes) }
    }
}
