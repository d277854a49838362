/// One line of a story.
struct Event: Sendable {
    /// Its place in the story.
    let index: Int
    let line: String
    private let fields: [String: JSON]

    init(index: Int, line: String) throws {
        self.index = index
        self.line = line
        fields = try JSON.object(in: line)
    }

    subscript(name: String) -> JSON? { fields[name] }

    func text(_ name: String) -> String? { fields[name]?.text }
    func number(_ name: String) -> Double? { fields[name]?.number }
    func integer(_ name: String) -> Int? { number(name).map { Int($0) } }

    var kind: String { text("kind") ?? "" }
    /// ISO 8601 in UTC with milliseconds: the order of the texts is that of the instants.
    var at: String { text("at") ?? "" }
    var generation: Int { integer("generation") ?? -1 }
    var status: Int? { integer("status") }

    /// Whether it is a request that serves a purpose.
    func isRequest(_ purpose: String) -> Bool { kind == "request" && text("purpose") == purpose }

    /// Whether the session comes into a state with it.
    func enters(_ state: String) -> Bool { kind == "stateChanged" && text("to") == state }
}
