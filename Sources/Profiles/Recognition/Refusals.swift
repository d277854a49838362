package import Basics

/// A token, or another proof, that an answer refuses.
package enum RefusedToken: String, Sendable, Hashable, Codable, CaseIterable {
    case access
    /// The refresh token, if such an answer comes again: a gateway may send it, too.
    case refresh
    /// The refresh token, whatever comes later.
    case refreshForGood = "refresh_for_good"
    /// The credentials of a login.
    case login
}

/// The shapes of answers and of sockets' messages that refuse a token.
package struct Refusals: Sendable {
    private let answers: [RefusalShape]
    /// What each of them asks for.
    private let needs: [RefusalShape.Needs]
    /// The first keys of the members that they list.
    private let roots: Set<String>
    private let sockets: [SocketRefusalShape]

    init(answers: [RefusalShape] = [], sockets: [SocketRefusalShape] = []) {
        self.answers = answers
        needs = answers.map(\.needs)
        roots = Set(answers.flatMap(\.members).map { String($0.path.part(before: ".")) })
        self.sockets = sockets
    }

    /// The number of shapes.
    var count: Int { answers.count + sockets.count }

    /// Returns what an answer refuses, whatever it was asked for.
    package func refused(by answer: AnswerTraits) -> Set<RefusedToken> {
        var refused: Set<RefusedToken> = []
        let known = RefusalShape.Needs(metBy: answer, roots: roots)
        // In its place: a copy of a shape costs more than to see that most do not match.
        for index in answers.indices where needs[index].isSubset(of: known) {
            guard answers[index].matches(answer) else { continue }
            guard let token = answers[index].token else { return [] }
            refused.insert(token)
        }
        return refused
    }

    /// Whether a backend's message on a socket refuses the token that the socket has presented; `json`
    /// is the value in it, without what precedes that.
    package func isRefusal(message text: String, _ json: JSONValue?) -> Bool {
        sockets.contains { $0.matches(text, json) }
    }

    /// Whether a backend closes a socket because of the token, by the code and the text of its close
    /// frame.
    package func isRefusal(closeCode: Int, reason: String = "") -> Bool {
        sockets.contains { $0.matches(closeCode: closeCode, reason) }
    }
}

/// The shape of an answer that refuses a token: all of what it lists must be there.
struct RefusalShape: Sendable {
    /// The kind of token that it refuses; `nil` says that such an answer refuses none.
    var token: RefusedToken?
    /// If empty, any.
    var statuses: Set<Int> = []
    /// Statuses of gRPC; if empty, any or none.
    var grpcStatuses: Set<Int> = []
    /// Codes of errors; if `nil`, any or none, as for what follows.
    var errors: NameList?
    var challenges: NameList?
    /// Members of the JSON that it has.
    var members: [MemberShape] = []
    /// Paths of members that are missing, or null.
    var absent: [String] = []
    /// The last segments of the paths that it redirects to.
    var locations: NameList?
    /// Segments near the end of those paths.
    var segments: NameList?
    /// Whether it has no body.
    var isEmpty: Bool?

    /// The parts of an answer without which a shape does not match, whatever they are.
    struct Needs: OptionSet {
        let rawValue: UInt8

        static let error = Needs(rawValue: 1)
        static let challenge = Needs(rawValue: 2)
        static let call = Needs(rawValue: 4)
        static let redirection = Needs(rawValue: 8)
        static let members = Needs(rawValue: 16)
        static let json = Needs(rawValue: 32)

        init(rawValue: UInt8) { self.rawValue = rawValue }

        /// The parts that an answer has; members, if it has one of the keys that lead to them.
        init(metBy answer: AnswerTraits, roots: Set<String>) {
            self = []
            if answer.errorCode != nil { insert(.error) }
            if !answer.challenges.isEmpty { insert(.challenge) }
            if answer.grpcStatus != nil { insert(.call) }
            if answer.location != nil { insert(.redirection) }
            if let json = answer.json {
                insert(.json)
                if json.mayHaveKey(of: roots) { insert(.members) }
            }
        }
    }

    var needs: Needs {
        var needs: Needs = []
        if errors != nil { needs.insert(.error) }
        if challenges != nil { needs.insert(.challenge) }
        if !grpcStatuses.isEmpty { needs.insert(.call) }
        if locations != nil || segments != nil { needs.insert(.redirection) }
        if !members.isEmpty { needs.insert(.members) }
        if !absent.isEmpty { needs.insert(.json) }
        return needs
    }

    /// The number of segments at the end of a path that tell what it is about.
    private static let segmentCount = 3

    func matches(_ answer: AnswerTraits) -> Bool {
        guard statuses.isEmpty || statuses.contains(answer.status) else { return false }
        if !grpcStatuses.isEmpty {
            guard let status = answer.grpcStatus, grpcStatuses.contains(status) else {
                return false
            }
        }
        if let errors {
            guard let code = answer.errorCode, errors.contains(code.asciiLowercased) else {
                return false
            }
        }
        if let challenges, !answer.challenges.contains(where: challenges.contains) { return false }
        if let isEmpty, isEmpty != answer.isEmpty { return false }
        if let locations {
            let names = [answer.location?.lastSegment, answer.location?.firstLabel]
            guard names.compactMap({ $0?.plainName }).contains(where: locations.contains) else {
                return false
            }
        }
        if let segments {
            let last = answer.location?.pathSegments.suffix(Self.segmentCount) ?? []
            guard last.contains(where: { segments.contains($0.plainName) }) else { return false }
        }
        guard !members.isEmpty || !absent.isEmpty else { return true }
        guard let json = answer.json else { return false }
        // A bare list, as Salesforce sends it, is one of errors.
        switch json {
        case .object: break
        case .array(let elements) where absent.isEmpty && !elements.isEmpty: break
        default: return false
        }
        return members.allSatisfy { $0.isIn(json) }
            && absent.allSatisfy { json.values(along: $0).allSatisfy { $0 == .null } }
    }
}

/// The shape of a message, or of the end of a socket, that refuses a token.
struct SocketRefusalShape: Sendable {
    /// Whole messages, as they are written.
    var texts: NameList?
    var members: [MemberShape] = []
    var closeCodes: Set<Int> = []
    /// Texts of close frames, as they are written.
    var reasons: NameList?

    /// Whether it is the end of a socket with a code, if it lists some, and a text, if it lists some.
    func matches(closeCode: Int, _ reason: String) -> Bool {
        guard !closeCodes.isEmpty || reasons != nil else { return false }
        return (closeCodes.isEmpty || closeCodes.contains(closeCode))
            && reasons?.contains(reason.asciiLowercased) ?? true
    }

    func matches(_ text: String, _ json: JSONValue?) -> Bool {
        guard texts != nil || !members.isEmpty else { return false }
        if let texts, !texts.contains(text.asciiLowercased) { return false }
        return members.allSatisfy { member in json.map(member.isIn) ?? false }
    }
}

/// A member of JSON, with the values that it may have.
struct MemberShape: Sendable {
    /// The keys that lead to it, joined by dots, through any element of a list.
    var path: String
    /// Texts as they are written, which may have a `*`.
    var texts: NameList
    /// Numbers and flags.
    var values: [JSONValue]

    func isIn(_ json: JSONValue) -> Bool {
        json.values(along: path).contains { found in
            if case .string(let text) = found { return texts.contains(text.asciiLowercased) }
            return values.contains(found)
        }
    }
}

extension Recognition {
    /// Returns where a request is redirected to, without the host if that is its own, or `nil` if that
    /// can say nothing of its token: it asks for a page, which also a user without a session does, signs
    /// out, or is redirected to itself in another form.
    func signInRedirection(of request: WireRequest, to location: String?) -> String? {
        guard let location else { return nil }
        let mode = request.header("Sec-Fetch-Mode")?.asciiLowercased
        let accept = request.header("Accept")?.asciiLowercased ?? ""
        guard mode != "navigate", mode != nil || !accept.containsBytes(of: "text/html") else {
            return nil
        }
        // Without one of these, a browser of old may ask for a page.
        guard
            mode != nil || request.header("Authorization") != nil
                || request.header("X-Requested-With") != nil || accept.containsBytes(of: "json")
                || request.header("Content-Type")?.asciiLowercased.containsBytes(of: "json") == true
        else { return nil }
        let segments = request.path.parts(at: "/").map(\.plainName)
        guard !paths.nameLogout(segments), !paths.nameRevocation(segments) else { return nil }
        var target = location
        if let origin = request.origin, let path = location.part(after: origin), path.has("/") {
            target = String(path)
        }
        guard target.lastSegment?.plainName != segments.last else { return nil }
        return target
    }
}

extension String {
    /// The last segment of the path of an address, or `nil` if it has none.
    var lastSegment: Substring? { pathSegments.last }

    /// The segments of the path of an address.
    fileprivate var pathSegments: [Substring] {
        let path = part(before: "#").part(before: "?")
        guard let start = path.range(ofBytes: "://") else { return path.parts(at: "/") }
        return Array(path[start.upperBound...].parts(at: "/").dropFirst())
    }
}

extension String {
    /// The first label of the host of an address, or `nil` if it has none.
    fileprivate var firstLabel: Substring? {
        part(before: "?").range(ofBytes: "://").flatMap {
            self[$0.upperBound...].parts(at: "/").first
        }
        .flatMap { $0.halves(at: ".")?.before }
    }
}

extension JSONValue {
    /// Whether it has one of some keys, as most answers have none of those of errors; a list may have
    /// objects with them.
    func mayHaveKey(of keys: Set<String>) -> Bool {
        switch self {
        case .object(let members) where members.count > keys.count:
            keys.contains { members[$0] != nil }
        case .object(let members): members.keys.contains(where: keys.contains)
        case .array: true
        case .null, .bool, .integer, .number, .string: false
        }
    }

    /// Returns the values at a path of keys, through the elements of lists.
    func values(along path: String) -> [JSONValue] {
        var values: [JSONValue] = []
        add(along: Substring(path), to: &values)
        return values
    }

    /// Adds the values at the rest of a path, of which most answers have nothing.
    private func add(along path: Substring, to values: inout [JSONValue]) {
        switch self {
        case .object(let members):
            let halves = path.halves(at: ".")
            guard let member = members[String(halves?.before ?? path)] else { return }
            if let rest = halves?.after {
                member.add(along: rest, to: &values)
            } else if case .array(let elements) = member {
                values += elements.prefix(Self.elementLimit)
            } else {
                values.append(member)
            }
        case .array(let elements):
            for element in elements.prefix(Self.elementLimit) {
                if case .object = element { element.add(along: path, to: &values) }
            }
        case .null, .bool, .integer, .number, .string: break
        }
    }

    /// The most elements of a list that are looked at.
    private static let elementLimit = 16
}
