import Basics

/// An answer with tokens, and what is in it besides what a profile reads.
struct ReadAnswer {
    /// The number of names after which the list is cut.
    private static let nameLimit = 40
    private static let deepest = 4

    let response: WireResponse
    let json: JSONValue

    /// Returns `nil` if the answer cannot hold tokens.
    init?(_ response: WireResponse, by reading: TokenParser) {
        guard ResponseClass(status: response.status) == .success,
            let json = reading.readable(ResponseBody(response), response)
        else { return nil }
        self.response = response
        self.json = json
    }

    func has(_ place: JSONLocation) -> Bool {
        place.value(in: response, json).map { $0 != .null } ?? false
    }

    /// Returns whether the field states an end that can be used, or that there is none.
    func states(_ field: ExpiryField) -> Bool {
        switch field.statement(in: response, json) {
        case .unusable?: false
        case .lifetime?, .maxAge?, .instant?, .cookieExpires?, .zoneless?: true
        case nil: field.kind == .secondsUnlessZero && has(field.place)
        }
    }

    /// Returns the places of the values that the profile does not read, in alphabetical order;
    /// never a value.
    func unread(by reading: TokenParser, hiding secrets: KnownSecrets) -> [String] {
        var names: [String] = []
        collect(json, at: "", depth: 1, into: &names)
        let read = reading.readPaths
        let paths = names.filter { name in
            !read.contains { $0 == name || $0.begins(with: "\(name).") }
        }
        let cookies = response.cookieChanges.map { "cookie:\($0.name)" }
            .filter { !read.contains($0) }
        return (paths.sorted() + cookies.sorted()).prefix(Self.nameLimit)
            .map { ServerMessage.bounded($0, hiding: secrets) }
    }

    /// Collects the paths of the values that are neither an object nor a list of objects.
    private func collect(
        _ value: JSONValue,
        at path: String,
        depth: Int,
        into names: inout [String]
    ) {
        let members: [(key: String, value: JSONValue)]? =
            switch value {
            case .object(let members): members.sorted { $0.key < $1.key }
            case .array(let elements) where elements.contains(where: \.isObject):
                elements.enumerated().map { (String($0.offset), $0.element) }
            case .array, .null, .bool, .integer, .number, .string: nil
            }
        guard let members, depth <= Self.deepest, names.count < 200 else {
            if !path.isEmpty { names.append(path) }
            return
        }
        for (name, member) in members {
            let whole = path.isEmpty ? name : "\(path).\(name)"
            collect(member, at: whole, depth: depth + 1, into: &names)
        }
    }

    /// A key of `[login.response]` or `[refresh.response]`, and its value.
    typealias Entry = (key: String, value: String)

    /// Returns the entry that would read a place, or `nil` if its name says nothing, or the profile
    /// reads another place for the same.
    func suggestion(
        for place: String,
        to reading: TokenParser,
        by recognition: Recognition
    ) -> Entry? {
        guard !place.begins(with: "cookie:"), let value = json.value(at: place) else { return nil }
        let name = place.parts(at: ".").last.map(String.init) ?? ""
        let plain = name.plainName
        // What stands before a colon would be a kind of place.
        let path = place.has(":") ? "json:\(place)" : place
        if recognition.tokens.role(ofKey: name) == .refresh {
            return reading.refresh.isEmpty && value.stringValue != nil ? ("refresh", path) : nil
        }
        if let life = recognition.lifetimes.lifetime(ofKey: name) {
            guard let number = value.numberValue, var kind = life.unit.kind else { return nil }
            if number == 0, kind == .seconds, life.role == .refresh { kind = .secondsUnlessZero }
            return Self.expiry("\(kind.rawValue):\(path)", of: life.role, to: reading)
        }
        if let role = recognition.lifetimes.end(ofKey: name) {
            return StatedEnd(value)?.kind.flatMap {
                Self.expiry("\($0.rawValue):\(path)", of: role, to: reading)
            }
        }
        if plain == "tokentype" { return reading.tokenType.isEmpty ? ("token_type", path) : nil }
        if recognition.userIDs.contains(plain) {
            return reading.subject.isEmpty ? ("subject", path) : nil
        }
        guard recognition.userNames.contains(plain), reading.displayName.isEmpty else {
            return nil
        }
        return ("display_name", path)
    }

    /// Returns the entry that states the expiry of a token, unless the profile has one.
    private static func expiry(
        _ expiry: String,
        of role: TokenRole,
        to reading: TokenParser
    ) -> Entry? {
        let isRefresh = role == .refresh
        guard isRefresh ? reading.refreshExpiry.isEmpty : reading.accessExpiry.isEmpty else {
            return nil
        }
        return (isRefresh ? "refresh_expires" : "access_expires", expiry)
    }
}

extension JSONValue {
    fileprivate var isObject: Bool {
        if case .object = self { true } else { false }
    }
}

extension TokenParser {
    /// The places of all values that are read.
    fileprivate var readPaths: Set<String> {
        let locations = access + refresh + subject + displayName + tokenType
        let expiries = (accessExpiry + refreshExpiry).map(\.place)
        return Set((locations + expiries).map(\.text) + account + (success.map { [$0] } ?? []))
    }
}
