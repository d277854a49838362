import Basics

extension Recognition {
    /// The recognition without a file of the user.
    package static let builtIn: Recognition =
        (try? Recognition([(builtInText, fileName)]))
        ?? Recognition(RecognitionLists(), refusals: Refusals())

    /// The text of the file that is part of the program.
    static let builtInText = String(
        decoding: PackageResources.recognition_toml,
        as: UTF8.self
    )

    /// The name of a file with recognition.
    package static let fileName = "recognition.toml"

    /// Reads what the user adds to what is built in.
    ///
    /// - Parameters:
    ///   - text: The contents of the user's file.
    ///   - file: Its path, for errors.
    /// - Throws: `DialectError` with the line and the key of a mistake.
    package convenience init(adding text: String, file: String) throws(DialectError) {
        try self.init([(Self.builtInText, Self.fileName), (text, file)])
    }

    /// Reads files, of which each adds to the ones before it.
    private convenience init(_ sources: [(text: String, file: String)]) throws(DialectError) {
        var lists = RecognitionLists()
        var refusals: (answers: [RefusalShape], sockets: [SocketRefusalShape]) = ([], [])
        var roots: [TOMLItem] = []
        for source in sources {
            let root: TOMLItem
            do throws(TOMLError) {
                root = try TOMLReader.read(source.text, file: source.file)
            } catch {
                throw DialectError(error)
            }
            try Self.read(root, at: "", into: &lists)
            roots.append(root)
        }
        for root in roots { try Self.read(root, naming: lists, into: &refusals) }
        self.init(
            lists,
            refusals: Refusals(answers: refusals.answers, sockets: refusals.sockets)
        )
    }

    /// The tables of a file with the keys of each, for its documentation: lists, or tables of shapes.
    static let tables: [(path: String, keys: [String])] =
        RecognitionList.tables
        + [(refusalsKey, RefusalShape.keys), (socketRefusalsKey, SocketRefusalShape.keys)]

    private static let refusalsKey = "refusals"
    private static let socketRefusalsKey = "socket_refusals"

    // MARK: - Lists

    /// The most entries of a list in one file.
    private static let entryLimit = 1_000

    private static func read(
        _ item: TOMLItem,
        at path: String,
        into lists: inout RecognitionLists
    ) throws(DialectError) {
        let keys = RecognitionList.keys[path] ?? []
        let shapes = path.isEmpty ? [refusalsKey, socketRefusalsKey] : []
        let table = try SchemaTable(item, keys: keys + shapes)
        for key in keys {
            guard let member = table.item(key) else { continue }
            let whole = path.isEmpty ? key : "\(path).\(key)"
            guard let list = RecognitionList(rawValue: whole) else {
                try read(member, at: whole, into: &lists)
                continue
            }
            lists.add(try words(key, of: list, in: table), to: list)
        }
    }

    private static func words(
        _ key: String,
        of list: RecognitionList,
        in table: SchemaTable
    ) throws(DialectError) -> [String] {
        let items = try table.strings(key) ?? []
        guard items.count <= entryLimit else {
            throw table.error(at: key, "over \(entryLimit) entries")
        }
        return try words(items, as: list.form, in: table)
    }

    /// Returns texts that can be entries of a list.
    fileprivate static func words(
        _ items: [TOMLItem],
        as form: RecognitionList.Form,
        in table: SchemaTable
    ) throws(DialectError) -> [String] {
        var words: [String] = []
        for case .string(let word) in items.map(\.value) {
            try check(word, at: items[words.count], as: form, in: table)
            words.append(word)
        }
        return words
    }

    /// The size of the longest entry, in bytes.
    private static let wordLimit = 64

    /// Fails if a word cannot be an entry of a list.
    fileprivate static func check(
        _ word: String,
        at item: TOMLItem,
        as form: RecognitionList.Form,
        in table: SchemaTable
    ) throws(DialectError) {
        func error(_ expected: String) -> DialectError {
            table.error(at: item, word.quotedForError, "expected \(expected)")
        }
        // Names are ASCII; texts are in any language.
        guard word.utf8.count <= wordLimit,
            word.utf8.allSatisfy({ (0x20...0x7E).contains($0) })
                || form == .parts
                    && word.unicodeScalars.allSatisfy({ $0.properties.isAlphabetic || $0 == " " })
        else {
            throw error("at most \(wordLimit) printable letters")
        }
        let hasStars = form == .names || form == .written
        let bare = hasStars && word.has("*") ? word.withoutStars : word[...]
        guard !bare.has("*") else {
            throw error(hasStars ? "a * at the beginning or the end only" : "no *")
        }
        let isName = form == .names || form == .parts
        guard bare.utf8.contains(where: { !isName || !$0.isLeftOutOfNames }) else {
            throw error("a name")
        }
    }

    // MARK: - Shapes

    private static func read(
        _ root: TOMLItem,
        naming lists: RecognitionLists,
        into refusals: inout (answers: [RefusalShape], sockets: [SocketRefusalShape])
    ) throws(DialectError) {
        guard case .table(let members) = root.value else { return }
        let top = try SchemaTable(root, keys: Array(members.keys))
        for table in try top.tables(refusalsKey, keys: RefusalShape.keys) {
            refusals.answers.append(try RefusalShape(table, naming: lists))
        }
        for table in try top.tables(socketRefusalsKey, keys: SocketRefusalShape.keys) {
            refusals.sockets.append(try SocketRefusalShape(table))
        }
    }
}

extension RecognitionList {
    /// The keys of each table, in the order of the lists; the top has an empty path.
    fileprivate static let keys: [String: [String]] = {
        var keys: [String: [String]] = [:]
        for list in allCases {
            var path = ""
            for key in list.rawValue.parts(at: ".").map(String.init) {
                if keys[path]?.contains(key) != true { keys[path, default: []].append(key) }
                path = path.isEmpty ? key : "\(path).\(key)"
            }
        }
        return keys
    }()

    fileprivate static var tables: [(path: String, keys: [String])] {
        var tables: [(path: String, keys: [String])] = []
        for list in allCases {
            let parts = list.rawValue.parts(at: ".")
            let path = parts.dropLast().joined(separator: ".")
            let key = parts.last.map(String.init) ?? ""
            if let index = tables.firstIndex(where: { $0.path == path }) {
                tables[index].keys.append(key)
            } else {
                tables.append((path, [key]))
            }
        }
        return tables
    }
}

extension StringProtocol {
    /// The text without one star at its beginning and one at its end.
    fileprivate var withoutStars: Substring {
        let text = Substring(self)
        let rest = text.part(after: "*") ?? text
        return rest.part(upTo: "*") ?? rest
    }
}

extension RefusalShape {
    /// A list of codes that a shape can name.
    private enum CodeList: String, CaseIterable {
        case ended

        var list: RecognitionList {
            switch self {
            case .ended: .errorsEnded
            }
        }
    }

    static let keys = [
        "token", "status", "grpc", "error", "codes", "challenge", "body", "absent", "location",
        "location_within", "empty",
    ]
    /// The value of `token` that keeps other shapes from applying.
    static let nothing = "nothing"

    /// - Parameters:
    ///   - table: The shape.
    ///   - lists: The lists that it can name, with what each file adds to them.
    /// - Throws: `DialectError` with the line and the key of a mistake.
    init(_ table: SchemaTable, naming lists: RecognitionLists) throws(DialectError) {
        let name = try table.requiredString("token")
        token = RefusedToken(rawValue: name)
        guard token != nil || name == Self.nothing else {
            let known = (RefusedToken.allCases.map(\.rawValue) + [Self.nothing])
                .joined(separator: ", ")
            throw table.error(
                at: "token",
                "found \(name.quotedForError)",
                "expected one of \(known)"
            )
        }
        if let few = try table.statusClass("status") {
            statuses = few
        } else {
            statuses = try table.statuses("status") ?? []
        }
        if let status = statuses.sorted().first(where: ResponseClass.isNeverTerminal) {
            throw table.error(at: "status", "\(status) is never a verdict on a token")
        }
        grpcStatuses = try table.integers("grpc", in: 1...16) ?? []
        let codes = try table.choice("codes", as: CodeList.self).map { lists.words($0.list) }
        errors = try NameList("error", in: table, adding: codes)
        challenges = try NameList("challenge", in: table)
        locations = try NameList("location", in: table, as: .names)
        segments = try NameList("location_within", in: table, as: .names)
        members = try MemberShape.read("body", in: table)
        absent = try KeyPath.readList("absent", in: table) ?? []
        isEmpty = try table.bool("empty")
        guard Self.keys.dropFirst().contains(where: table.has) else {
            let expected = "expected one of \(Self.keys.dropFirst().joined(separator: ", "))"
            throw table.error(at: table.item, "a shape of every answer", expected)
        }
    }
}

extension SocketRefusalShape {
    static let keys = ["text", "body", "close", "reason"]

    init(_ table: SchemaTable) throws(DialectError) {
        texts = try NameList("text", in: table)
        members = try MemberShape.read("body", in: table)
        closeCodes = try table.integers("close", in: 1_000...4_999) ?? []
        reasons = try NameList("reason", in: table)
        guard Self.keys.contains(where: table.has) else {
            let expected = "expected one of \(Self.keys.joined(separator: ", "))"
            throw table.error(at: table.item, "a shape of every message", expected)
        }
    }
}

extension NameList {
    /// Reads a text, or a list of them, as they are written unless they are names; `nil` without one,
    /// and without others.
    fileprivate init?(
        _ key: String,
        in table: SchemaTable,
        as form: RecognitionList.Form = .written,
        adding others: [String]? = nil
    ) throws(DialectError) {
        let items = try table.strings(key)
        guard items != nil || others != nil else { return nil }
        let words = try Recognition.words(items ?? [], as: form, in: table)
        self.init(words + (others ?? []), asWritten: form == .written)
    }
}

extension MemberShape {
    /// Reads a table whose nested keys are the path of a member, and whose values are what that may be.
    fileprivate static func read(
        _ key: String,
        in table: SchemaTable
    ) throws(DialectError) -> [MemberShape] {
        guard let item = table.item(key) else { return [] }
        guard case .table = item.value else {
            let expected = "expected a table, such as { error = \"invalid_token\" }"
            throw table.error(at: item, "found \(item.kind)", expected)
        }
        return try members(of: item, at: "", in: table)
    }

    private static func members(
        of item: TOMLItem,
        at path: String,
        in table: SchemaTable
    ) throws(DialectError) -> [MemberShape] {
        if case .table(let inner) = item.value {
            var shapes: [MemberShape] = []
            for (key, member) in inner.sorted(by: { $0.key < $1.key }) {
                let whole = path.isEmpty ? key : "\(path).\(key)"
                shapes += try members(of: member, at: whole, in: table)
            }
            return shapes
        }
        let items = if case .list(let elements) = item.value { elements } else { [item] }
        var texts: [String] = []
        var values: [JSONValue] = []
        for item in items {
            let value = try table.scalar(item)
            guard case .string(let text) = value else {
                values.append(value)
                continue
            }
            try Recognition.check(text, at: item, as: .written, in: table)
            texts.append(text)
        }
        return [MemberShape(path: path, texts: NameList(texts, asWritten: true), values: values)]
    }
}
