import Basics

/// The placeholders that the messages of a script may have, besides its own.
struct FeedScriptNames {
    var captures: [String]
    /// Those that `feed.values` fills.
    var values: [String]
    /// The table of the profile, which has to have a value for what its kind names.
    var profile: SchemaTable?

    var all: [String] { [FeedSay.tokenName, FeedSay.numberName] + values + captures }
}

/// Parsing of the conversation on the feed: `first_message` and `switch_message`, which are the
/// short forms of a message on the opening and on a renewal, `[[feed.say]]` and `[[feed.expect]]`.
extension FeedScript {
    static let sayKeys = ["text", "on", "after", "every", "answer", "within"]
    static let expectationKeys = [
        "name", "key", "equals", "missing", "prefix", "also", "means", "within", "every",
    ]
    static let conditionKeys = ["key", "equals", "missing"]

    /// The most messages, and the most expectations, of a feed.
    private static let limit = 32

    /// - Parameters:
    ///   - tables: The tables of the feed, of which each adds to those before.
    ///   - names: The placeholders.
    /// - Throws: `DialectError` at what is wrong.
    init(in tables: [SchemaTable], naming names: FeedScriptNames) throws(DialectError) {
        self.init()
        for table in tables {
            for entry in try table.tables("expect", keys: Self.expectationKeys) {
                try add(expectation: entry)
            }
        }
        for table in tables {
            if let text = try Self.message("first_message", in: table, naming: names) {
                says.append(FeedSay(text, on: .opening))
            }
            for entry in try table.tables("say", keys: Self.sayKeys) {
                try add(say: entry, naming: names)
            }
            if let text = try Self.message("switch_message", in: table, naming: names) {
                says.append(FeedSay(text, on: .renewal))
            }
        }
    }

    private static func message(
        _ key: String,
        in table: SchemaTable,
        naming names: FeedScriptNames
    ) throws(DialectError) -> String? {
        guard let item = table.item(key), let text = try table.string(key) else { return nil }
        try checkNames(of: text, at: item, in: table, naming: names)
        guard PlaceholderText(text).names.count(where: { $0 == FeedSay.tokenName }) == 1 else {
            throw table.error(at: key, "no place for the token", "expected one {access} in it")
        }
        return text
    }

    private static func checkNames(
        of text: String,
        at item: TOMLItem,
        in table: SchemaTable,
        naming names: FeedScriptNames
    ) throws(DialectError) {
        let known = names.all
        for name in PlaceholderText(text).names where !known.contains(name) {
            if let profile = names.profile, profile.item.file != item.file {
                let found = "the kind of the feed needs a value for {\(name)}"
                throw profile.error(at: "values.\(name)", found, "expected text")
            }
            let expected = known.map { "{\($0)}" }.joined(separator: ", ")
            throw table.error(
                at: item,
                "nothing is called {\(name)}",
                "expected one of \(expected), or \(name) in feed.values"
            )
        }
    }

    private mutating func add(
        say table: SchemaTable,
        naming names: FeedScriptNames
    ) throws(DialectError) {
        let text = try table.requiredString("text")
        guard let item = table.item("text"), !text.isEmpty else {
            throw table.error(at: "text", "an empty message")
        }
        try Self.checkNames(of: text, at: item, in: table, naming: names)
        var say = FeedSay(text, on: try occasion(in: table))
        if let name = try table.string("answer") {
            say.answer = try index(of: name, at: "answer", in: table)
        } else if table.has("within") {
            let found = "there is no answer to wait for"
            throw table.error(at: "within", found, "expected answer = the name of an expectation")
        }
        if let limit = try table.seconds("within") { say.limit = limit }
        guard says.count < Self.limit else {
            throw table.error(at: table.item, "more than \(Self.limit) messages")
        }
        says.append(say)
    }

    private func occasion(in table: SchemaTable) throws(DialectError) -> FeedSay.Occasion {
        let given = ["on", "after", "every"].filter { table.has($0) }
        guard given.count <= 1 else {
            let found = "it is said \(given[0]) something already"
            throw table.error(at: given[1], found, "expected one of on, after, every")
        }
        if let name = try table.string("after") {
            return .after(try index(of: name, at: "after", in: table))
        }
        if let seconds = try table.seconds("every") {
            guard seconds >= 1 else {
                throw table.error(at: "every", "found \(seconds) s", "expected a second or more")
            }
            return .interval(seconds)
        }
        switch try table.string("on") {
        case "open", nil: return .opening
        case "renewal": return .renewal
        case let text?:
            let expected = "expected one of open, renewal"
            throw table.error(at: "on", "found \(text.quotedForError)", expected)
        }
    }

    private func index(
        of name: String,
        at key: String,
        in table: SchemaTable
    ) throws(DialectError) -> Int {
        let known = expectations.map(\.name)
        guard let index = known.firstIndex(of: name) else {
            throw table.error(
                at: key,
                "no feed.expect is called \(name.quotedForError)",
                known.isEmpty ? nil : "expected one of \(known.joined(separator: ", "))"
            )
        }
        return index
    }

    private mutating func add(expectation table: SchemaTable) throws(DialectError) {
        let name = try table.requiredString("name")
        guard !expectations.contains(where: { $0.name == name }) else {
            throw table.error(at: "name", "\(name.quotedForError) is already expected")
        }
        var expectation = FeedExpectation(
            name,
            means: try table.choice("means", as: FeedExpectation.Meaning.self),
            every: try table.seconds("every")
        )
        if table.has("within"), expectation.meaning != .accepted {
            let found = "only an acceptance has to come after the opening"
            throw table.error(at: "within", found, "expected means = \"accepted\"")
        }
        if let limit = try table.seconds("within") { expectation.limit = limit }
        expectation.prefix = try table.string("prefix")
        if table.has("key") || table.has("missing") || table.has("equals") {
            expectation.rules = [try ResponseRule(table)]
        }
        for entry in try table.tables("also", keys: Self.conditionKeys) {
            expectation.rules.append(try ResponseRule(entry))
        }
        guard expectation.prefix?.isEmpty == false || !expectation.rules.isEmpty else {
            let found = "an expectation that every message meets"
            throw table.error(at: table.item, found, "expected key, missing or prefix")
        }
        guard expectations.count < Self.limit else {
            throw table.error(at: table.item, "more than \(Self.limit) expectations")
        }
        expectations.append(expectation)
    }
}

/// What belongs to the conversation as a whole.
extension FeedExchange {
    static func values(in table: SchemaTable) throws(DialectError) -> [String: String] {
        guard let item = table.item("values") else { return [:] }
        guard case .table(let members) = item.value else {
            throw table.error(at: item, "found \(item.kind)", "expected a table of texts")
        }
        var values: [String: String] = [:]
        for (name, member) in members {
            guard case .string(let text) = member.value else {
                throw table.error(at: member, "found \(member.kind)", "expected text in quotes")
            }
            guard PlaceholderText("{\(name)}").names == [name],
                ![FeedSay.tokenName, FeedSay.numberName].contains(name)
            else {
                let expected = "expected small letters, digits and underscores"
                throw table.error(at: member, "\(name.quotedForError) cannot be a name", expected)
            }
            values[name] = text
        }
        return values
    }

    static func separator(in table: SchemaTable) throws(DialectError) -> Unicode.Scalar? {
        guard let text = try table.string("separator") else { return nil }
        guard let scalar = text.unicodeScalars.first, text.unicodeScalars.count == 1,
            scalar.isASCII
        else {
            let expected = "expected one ASCII character, such as \\u001e"
            throw table.error(at: "separator", "found \(text.quotedForError)", expected)
        }
        return scalar
    }

    /// Fails if the script does not fit the place of the token, or the way to change to a new one.
    func checkScript(in table: SchemaTable) throws(DialectError) {
        if place == .message {
            let tells = script.says.contains { say in
                switch say.occasion {
                case .opening, .after: say.hasToken
                case .renewal, .interval: false
                }
            }
            guard tells else {
                let expected = "expected first_message or feed.say with {access} in it"
                throw table.error(at: "token_in", "no message has the token", expected)
            }
        }
        let renews = script.says.contains { $0.occasion == .renewal }
        if change == .message, !renews {
            let expected = "expected switch_message, or feed.say with on = \"renewal\""
            throw table.error(at: "switch", "no message tells a renewal", expected)
        }
    }
}
