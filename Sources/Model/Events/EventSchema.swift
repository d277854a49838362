/// The version of the schema of JSON lines, and the description of its fields, from which the tests
/// make the page of events and check the lines.
enum EventSchema {
    /// The version that the first line of a session states.
    ///
    /// It grows when a field goes or changes its meaning; a kind or a field that is added leaves it
    /// as it is.
    static let version = 1

    static let definitions = EventKinds.all.map { $0.definition }

    /// The fields that every line begins with.
    static let commonFields = [
        FieldDescription(name: "at", type: .time, summary: "When it happened.", isOptional: false),
        FieldDescription(
            name: "session",
            type: .text,
            summary: "The id of the session: the profile, with the host if two share its name.",
            isOptional: false
        ),
        FieldDescription(
            name: "profile",
            type: .text,
            summary: "The profile of the session.",
            isOptional: false
        ),
        FieldDescription(
            name: "login",
            type: .integer,
            summary: "The n-th login of the session in this run; 0 before the first.",
            isOptional: false
        ),
        FieldDescription(
            name: "generation",
            type: .integer,
            summary: "The n-th pair of tokens since that login; 0 if none is held.",
            isOptional: false
        ),
        FieldDescription(name: "kind", type: .text, summary: "What happened.", isOptional: false),
    ]
}

extension EventKind {
    fileprivate static var definition: EventDefinition {
        EventDefinition(name: name, summary: summary, fields: fields.map(\.description))
    }
}
