import Client

@testable import Model

/// The page of the documentation that lists every kind of event, made from the schema.
enum EventPage {
    static var text: String {
        let kinds = EventSchema.definitions.map(section)
        return ([head, table(EventSchema.commonFields)] + kinds).joined(separator: "\n\n") + "\n"
    }

    private static let head = """
        # Events

        What `--json` prints and `--log` writes: one JSON object per line.

        This page is made from the schema in `Sources/Model/Events`, and a test compares it with
        it; `UPDATE_PAGES=1 swift test --filter EventSchemaTests` writes it again.

        The first line of a session is of the kind `capabilities`, and states the version of the
        schema, \(EventSchema.version). The version grows when a field goes or changes its meaning:
        ignore kinds and fields that you do not know. A field that is marked with ? may be missing.
        Times are ISO 8601 in UTC with milliseconds. Tokens are named by fingerprints.

        `cause` says why for programs: one of a few codes. `why` and `message` say it for users, in
        words that may change.

        ## Every line
        """

    private static func section(_ definition: EventDefinition) -> String {
        let title = "## `\(definition.name)`\n\n\(definition.summary)"
        return definition.fields.isEmpty ? title : "\(title)\n\n\(table(definition.fields))"
    }

    private static func table(_ fields: [FieldDescription]) -> String {
        let rows = fields.map { field in
            let values = field.values.map { "`\($0)`" }.joined(separator: ", ")
            let summary = values.isEmpty ? field.summary : "\(field.summary) One of \(values)."
            return "| `\(field.name)`\(field.isOptional ? "?" : "") | \(field.type.rawValue) "
                + "| \(summary) |"
        }
        return (["| field | type | meaning |", "| --- | --- | --- |"] + rows)
            .joined(separator: "\n")
    }
}
