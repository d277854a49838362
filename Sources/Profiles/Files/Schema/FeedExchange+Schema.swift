import Basics

/// Parsing of the feed: its path, the place of its token, and the keys of its messages.
extension FeedExchange {
    static let keys = [
        "kind", "path", "token_in", "first_message", "subprotocols", "since", "id", "seq", "type",
        "control", "refused", "switch", "switch_message", "headers",
        "silence_limit", "say", "expect", "values", "separator", "negotiate",
    ]

    static let controlKeys = ["key", "equals", "missing"]

    init(_ own: SchemaTable, captures: [Capture]) throws(DialectError) {
        let conversation = try FeedConversation(in: own)
        let kind: FeedKind =
            if conversation == nil {
                try own.choice("kind", as: FeedKind.self) ?? .webSocket
            } else {
                .webSocket
            }
        // What the profile says itself comes before what its kind says.
        let table =
            try conversation.map { known throws(DialectError) in
                try SchemaTable(own.item.laid(over: known.table.item), keys: Self.keys)
            } ?? own
        try Self.checkFit(of: kind, in: table)
        let target = try TargetParts(
            table.requiredString("path"),
            schemes: kind == .webSocket ? ("ws", "wss") : ("http", "https"),
            at: "path",
            in: table
        )
        self.init(
            origin: target.origin,
            path: target.path,
            query: target.query,
            place: try Self.place(in: table),
            subprotocols: try Self.subprotocols(in: table),
            since: try table.string("since"),
            id: try KeyPath.read("id", in: table),
            seq: try KeyPath.read("seq", in: table),
            type: try KeyPath.read("type", in: table),
            control: try Self.control(in: table),
            change: try Self.change(in: table),
            silenceLimit: try table.seconds("silence_limit")
        )
        self.kind = kind
        refused = try ResponseRule.readList("refused", keys: ResponseRule.refusedKeys, in: table)
        values = try Self.values(in: table)
        separator = try Self.separator(in: table)
        negotiation = try NegotiationExchange(in: table)
        let names = FeedScriptNames(
            captures: captures.map(\.name),
            values: values.keys.sorted(),
            profile: own
        )
        script = try FeedScript(
            in: [conversation?.table, own].compactMap(\.self),
            naming: names
        )
        try checkScript(in: table)
        try checkRedirect(in: table)
        let scope = PlaceholderScope(captures: captures)
        headers = try HeaderSchema.read(
            "headers",
            in: table,
            checking: { text, item throws(DialectError) in
                try scope.check(text, at: item, client: [], in: table)
            }
        )
        try checkHeaders(in: table)
        let used = Set(
            headers.flatMap { PlaceholderText($0.value).names }
                + script.says.flatMap(\.template.names)
        )
        self.captures = captures.filter { used.contains($0.name) }
        if let since, query.items[since] != nil {
            throw table.error(at: "since", "\(since.quotedForError) is also in the path's query")
        }
        if case .request(.query(let name)) = place, query.items[name] != nil {
            throw table.error(at: "token_in", "\(name.quotedForError) is also in the path's query")
        }
    }

    /// Fails if a server that another one names would be sent the session's token: it has one of
    /// its own, in the request alone.
    private func checkRedirect(in table: SchemaTable) throws(DialectError) {
        guard negotiation?.redirect != nil else { return }
        guard case .request = place, !script.says.contains(where: \.hasToken) else {
            let found = "another server's token goes with its request, and in no message"
            throw table.error(at: "negotiate", found, "expected no redirect")
        }
    }

    /// The headers that the request for an event stream has anyway.
    private static let streamHeaders: Set = ["accept", "cache-control", "last-event-id"]

    /// Fails if a key, or its value, belongs to the other kind of feed.
    private static func checkFit(
        of kind: FeedKind,
        in table: SchemaTable
    ) throws(DialectError) {
        guard kind == .eventStream else {
            guard !table.has("silence_limit") else {
                throw table.error(
                    at: "silence_limit",
                    "a WebSocket is pinged",
                    "expected kind = \"sse\""
                )
            }
            return
        }
        for (key, found) in [
            ("first_message", "nothing can be sent on an event stream"),
            ("switch_message", "nothing can be sent on an event stream"),
            ("subprotocols", "an event stream has no subprotocols"),
            ("since", "an event stream is resumed by Last-Event-ID"),
            ("id", "the id of an event is that of its id line"),
            ("say", "nothing can be sent on an event stream"),
            ("expect", "nothing can be sent on an event stream"),
            ("separator", "an event stream has no frames"),
            ("negotiate", "nothing is asked before an event stream"),
        ] where table.has(key) {
            throw table.error(at: key, found, "expected kind = \"websocket\" with this key")
        }
        if try table.string("switch") == "message" {
            throw table.error(
                at: "switch",
                "nothing can be sent on an event stream",
                "expected one of overlap, restart, keep"
            )
        }
        let place = try table.string("token_in") ?? ""
        if place == "message" || place == "subprotocol" || place.begins(with: "subprotocol:") {
            throw table.error(
                at: "token_in",
                "found \(place.quotedForError), which an event stream does not have",
                "expected \"query:NAME\", \"bearer\", \"header:NAME\" or \"cookie:NAME\""
            )
        }
    }

    /// Fails if a header is that of the handshake (RFC 6455), or the place of the token.
    private func checkHeaders(in table: SchemaTable) throws(DialectError) {
        for header in headers.map(\.name)
        where header.asciiLowercased.begins(with: "sec-websocket-")
            || kind == .eventStream && Self.streamHeaders.contains(header.asciiLowercased)
        {
            throw table.error(at: "headers", "the connection sets the header \(header) itself")
        }
        guard case .request(let token) = place else { return }
        if case .cookie(let name) = token {
            let cookies = headers.filter(\.isCookie).flatMap { Cookies.pairs(in: $0.value) }
            if cookies.contains(where: { $0.name == name }) {
                let found = "the cookie \(name) is also among the fixed headers"
                throw table.error(at: "token_in", found)
            }
        } else if let name = token.headerName,
            headers.contains(where: { $0.name.asciiLowercased == name.asciiLowercased })
        {
            throw table.error(at: "token_in", "\(name) is also among the fixed headers")
        }
    }

    private static func place(in table: SchemaTable) throws(DialectError) -> Place {
        let text = try table.requiredString("token_in")
        if text == "message" { return .message }
        if table.has("first_message") {
            let expected = "expected token_in = \"message\""
            throw table.error(at: "first_message", "the token is not sent in a message", expected)
        }
        if text == "subprotocol" { return .subprotocol(prefix: "") }
        if text.begins(with: "subprotocol:") {
            let prefix = String(text.dropFirst("subprotocol:".count))
            try checkProtocol(prefix, at: "token_in", in: table)
            return .subprotocol(prefix: prefix)
        }
        guard let place = try TokenLocation.read("token_in", in: table, for: .feed) else {
            throw table.missing("token_in")
        }
        return .request(place)
    }

    private static func subprotocols(in table: SchemaTable) throws(DialectError) -> [String] {
        var names: [String] = []
        for case .string(let name) in (try table.strings("subprotocols") ?? []).map(\.value) {
            try checkProtocol(name, at: "subprotocols", in: table)
            names.append(name)
        }
        return names
    }

    private static func checkProtocol(
        _ name: String,
        at key: String,
        in table: SchemaTable
    ) throws(DialectError) {
        guard RequestSyntax.isToken(name) else {
            let found = "\(name.quotedForError) cannot be a subprotocol"
            throw table.error(at: key, found, "expected letters, digits, dots and hyphens")
        }
    }

    /// Parses rules on a frame's body, such as `key = "type"` with `equals = "hello"`.
    private static func control(in table: SchemaTable) throws(DialectError) -> [ResponseRule] {
        var rules: [ResponseRule] = []
        for entry in try table.tables("control", keys: controlKeys) {
            guard entry.has("key") || entry.has("missing") else {
                let expected = "expected key or missing"
                throw entry.error(at: entry.item, "a rule for every frame", expected)
            }
            rules.append(try ResponseRule(entry))
        }
        return rules
    }

    private static func change(in table: SchemaTable) throws(DialectError) -> FeedSwitch {
        let change = try table.choice("switch", as: FeedSwitch.self) ?? .overlap
        if change != .message, table.has("switch_message") {
            let expected = "expected switch = \"message\""
            throw table.error(at: "switch_message", "the feed does not switch by message", expected)
        }
        return change
    }
}
