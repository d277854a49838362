package import Basics

/// An event as one flat JSON object on a line: for programs, recordings and tests.
///
/// `EventSchema` defines the fields of each kind.
package enum EventLine {
    /// An event's line, without its line break.
    ///
    /// - Parameters:
    ///   - event: The event.
    ///   - causes: Makes the sentences in it.
    /// - Returns: The line.
    package static func text(of event: SessionEvent, causes: any CauseFormatter) -> String {
        object(of: event, causes).text()
    }

    /// The line of an event that is notified: it has also the `condition` that the event fulfills,
    /// and how many others were left out before it, as `dropped`.
    ///
    /// - Parameters:
    ///   - notification: The notification.
    ///   - causes: Makes the sentences in it.
    /// - Returns: The line, without its line break.
    package static func text(
        of notification: Notification,
        causes: any CauseFormatter
    ) -> String {
        var line = object(of: notification.event, causes)
        line.set("condition", notification.condition?.rawValue)
        line.set("dropped", notification.dropped > 0 ? notification.dropped : nil)
        return line.text()
    }

    private static func object(of event: SessionEvent, _ causes: any CauseFormatter) -> FlatJSON {
        var line = FlatJSON(at: event.moment)
        line.set("session", event.session.description)
        line.set("profile", event.profile)
        line.set("login", event.login)
        line.set("generation", event.generation)
        line.set("kind", event.kind.name)
        line.set(event.kind, causes)
        return line
    }

    /// Returns the fields that an event's line has besides those of every line, in their order.
    package static func fields(
        of kind: any EventKind,
        at moment: Moment,
        causes: any CauseFormatter
    ) -> [(name: String, value: JSONValue)] {
        var line = FlatJSON(at: moment)
        line.set(kind, causes)
        guard case .object(let members)? = JSONValue(parsing: Array(line.text().utf8)) else {
            return []
        }
        return type(of: kind).fieldNames.compactMap { name in
            members[name].map { (name, $0) }
        }
    }
}

extension EventKind {
    fileprivate static var fieldNames: [String] { fields.map(\.description.name) }
}
