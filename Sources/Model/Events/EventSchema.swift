import Basics
import Profiles

/// Every kind of event with its fields: lines of JSON are written by it, and described by it.
///
/// A new kind is a case of `SessionEvent.Kind` (or of `FeedEvent`) and a definition in one of these
/// lists.
package enum EventSchema {
    /// The version that the first line of a session states.
    ///
    /// It grows when a field goes or changes its meaning; a kind or a field that is added leaves it
    /// as it is.
    package static let version = 1

    package static let definitions: [EventDefinition] =
        session + renewal + conditions + vault + requests + introspections + experiments + feed
        + observed

    /// What every line begins with.
    package static let commonFields = [
        EventField(name: "at", type: .time, summary: "When it happened.", isOptional: false),
        EventField(
            name: "session",
            type: .text,
            summary: "The id of the session: the profile, with the host if two share its name.",
            isOptional: false
        ),
        EventField(
            name: "profile",
            type: .text,
            summary: "The profile of the session.",
            isOptional: false
        ),
        EventField(
            name: "login",
            type: .integer,
            summary: "The n-th login of the session in this run; 0 before the first.",
            isOptional: false
        ),
        EventField(
            name: "generation",
            type: .integer,
            summary: "The n-th pair of tokens since that login; 0 if none is held.",
            isOptional: false
        ),
        EventField(name: "kind", type: .text, summary: "What happened.", isOptional: false),
    ]

    static func definition(of kind: SessionEvent.Kind) -> EventDefinition {
        // Most events are of the feed, so that the search must not pass through all the others.
        let candidates = if case .feed = kind { feed } else { definitions }
        guard let definition = candidates.first(where: { $0.matches(kind) }) else {
            preconditionFailure("an event kind is missing in EventSchema: \(kind)")
        }
        return definition
    }
}

extension SessionEvent.Kind {
    /// The value of `kind` in a line.
    package var name: String { EventSchema.definition(of: self).name }
}

/// Collects definitions, each of which the compiler checks by itself.
@resultBuilder
enum EventDefinitions {
    static func buildBlock(_ definitions: EventDefinition...) -> [EventDefinition] { definitions }
}

extension EventSchema {
    static func list(
        @EventDefinitions _ definitions: () -> [EventDefinition]
    ) -> [EventDefinition] {
        definitions()
    }
}
