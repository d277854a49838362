/// Next steps for a newcomer, beside the sessions that are there.
enum LocalGuide: Sendable, Hashable {
    case backend, pipeline

    var document: Document {
        var document = Document(title: "")
        document.indent = 2
        switch self {
        case .backend:
            document.addHeading("My backend")
            document.add(
                Line("A profile describes it. One is made from the metadata of its issuer:")
            )
            document.add(Line())
            document.add(
                Line("  authtop profiles init NAME --issuer https://auth.example.com", .key)
            )
            document.add(Line())
            document.add(Line("Watch a session of it, which authtop keeps alive:"))
            document.add(Line())
            document.add(Line("  authtop watch NAME", .key))
            document.add(Line())
            document.add(Line("Tell its refresh policy: rotation, reuse, revocation, races:"))
            document.add(Line())
            document.add(Line("  authtop check NAME", .key))
        case .pipeline:
            document.addHeading("My CI")
            document.add(
                Line("Run the tests of an app behind the proxy; a certain bug fails the job:")
            )
            document.add(Line())
            document.add(
                Line("  authtop proxy --to https://api.example.com --exec \"npm test\"", .key)
            )
            document.add(Line())
            document.add(Line("Hold a backend to its policy:"))
            document.add(Line())
            document.add(Line("  authtop check NAME --expect policy=strict-revoke", .key))
        }
        return document
    }
}
