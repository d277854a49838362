import Basics

/// An event as one flat JSON object on a line: for programs, recordings and tests.
///
/// `EventSchema` defines the fields of each kind.
package enum EventLine {
    /// An event's line, without its line break.
    ///
    /// - Parameters:
    ///   - event: What happened.
    ///   - causes: Makes the sentences in it.
    /// - Returns: The line.
    package static func text(of event: SessionEvent, causes: any CauseFormatter) -> String {
        var line = FlatJSON(at: event.moment)
        line.set("session", event.session.description)
        line.set("profile", event.profile)
        line.set("login", event.login)
        line.set("generation", event.generation)
        let definition = EventSchema.definition(of: event.kind)
        line.set("kind", definition.name)
        definition.write(event.kind, &line, causes)
        return line.text
    }
}
