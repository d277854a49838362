import Lifecycle

/// The help, made from the key table and the panes.
enum HelpText {
    private static let keysWidth = 16

    static func document(_ scene: Scene) -> Document {
        var document = Document(title: "Help")
        for section in KeyBinding.Section.allCases {
            document.addHeading(section.rawValue)
            for binding in KeyTable.bindings where binding.section == section {
                document.add(line(binding, scene))
            }
        }
        if let pane = PaneCatalogue.pane(scene.focus) as? any ListPane.Type {
            document.addHeading("Filter of \(pane.title)")
            let fields = pane.fields.map { "\($0):" }.joined(separator: " ")
            document.add(Line("words that must all be there · ! before what must not"))
            document.add("fields: \(fields, .key)")
        }
        document.addHeading("What the symbols mean")
        for pane in PaneCatalogue.all { pane.legend.forEach { document.add($0) } }
        return document
    }

    private static func line(_ binding: KeyBinding, _ scene: Scene) -> Line {
        let keys = Line(KeyWords.names(binding.keys), .key).fitted(to: keysWidth)
        guard let obstacle = ActObstacle.words(binding.act, scene.session) else {
            return keys + Line(binding.help)
        }
        return keys + Line(binding.help, .dim) + Line(" (now: \(obstacle))", .dim)
    }
}
