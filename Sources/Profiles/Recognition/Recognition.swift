import Basics

/// The names, words and shapes by which traffic is read that no profile describes.
///
/// It never changes, and all readers share it and its parts: to copy a part as a value, for each
/// request, would count the references of a dozen lists.
package final class Recognition: Sendable {
    package let tokens: TokenNames
    package let lifetimes: LifetimeNames
    package let credentials: CredentialNames
    package let secrets: SecretNames
    package let paths: PathNames
    package let missing: MissingTokenWords
    package let development: DevelopmentSockets
    package let refusals: Refusals
    /// Fields that tell apart requests with one path, in a query.
    package let grants: NameList
    /// The same in a body, the likeliest first.
    package let operations: [String]
    /// Values of such fields in requests that renew.
    package let refreshGrants: NameList
    /// Members of an answer with the user's name, the likeliest first.
    let userNames: NameList
    let userIDs: NameList
    /// Claims that name the session of a token.
    package let sessionClaims: [String]
    /// Claims that may be shown although they are named like secrets.
    package let shownClaims: Set<String>
    /// Claims that name the organization that the user has chosen.
    package let organizationClaims: [String]
    package let messageTypes: [String]
    /// Paths of keys.
    package let messageNumbers: [String]
    /// Paths of keys, the likeliest first.
    let errorPlaces: [String]
    /// The same, of the texts of errors.
    let errorTexts: [String]
    /// The first keys of both.
    private let errorRoots: Set<String>
    private let errorCodes: NameList
    /// Codes of errors, as they are written, after which a later attempt may succeed.
    let laterCodes: NameList
    /// The number of entries and shapes.
    package let count: Int
    let refusalWords: RefusalWords
    let results: ResultNames

    init(_ lists: RecognitionLists, refusals: Refusals) {
        tokens = TokenNames(lists)
        lifetimes = LifetimeNames(lists)
        secrets = SecretNames(lists)
        credentials = CredentialNames(lists, secrets)
        paths = PathNames(lists, secrets)
        missing = MissingTokenWords(lists)
        development = DevelopmentSockets(lists)
        self.refusals = refusals
        refusalWords = RefusalWords(lists)
        results = ResultNames(lists)
        grants = lists.names(.grantsNames)
        operations = grants.names + lists.names(.grantsOperations).names
        refreshGrants = lists.names(.grantsRefresh)
        userNames = lists.names(.userName)
        userIDs = lists.names(.userID)
        sessionClaims = lists.words(.claimsSession)
        shownClaims = Set(lists.words(.claimsShown))
        organizationClaims = lists.words(.claimsOrganization)
        messageTypes = lists.names(.messagesType).names
        messageNumbers = lists.words(.messagesNumber)
        errorPlaces = lists.words(.errorsPlaces)
        errorTexts = lists.words(.errorsTexts)
        errorRoots = Set((errorPlaces + errorTexts).map { String($0.part(before: ".")) })
        errorCodes = lists.names(.errorsCodes)
        laterCodes = lists.names(.errorsLater)
        count = lists.count + refusals.count
    }

    /// Whether a value has a key at which errors are stated, as most answers do not.
    func mayStateError(_ json: JSONValue) -> Bool { json.mayHaveKey(of: errorRoots) }

    /// Whether the code of an error is a word of protocols or of libraries, and thus public, even if a
    /// request has a part of it.
    package func isPublicCode(_ code: String) -> Bool { errorCodes.contains(code.plainName) }
}

extension Recognition: Equatable {
    package static func == (left: Recognition, right: Recognition) -> Bool { left === right }
}

/// How an answer with 200 says that it has failed.
struct ResultNames: Sendable {
    /// Paths of members that are false if it has.
    private let success: [String]
    /// Members that are empty, 0 or `false` unless it has.
    private static let errors = ["error", "errors", "errcode"]
    /// The first keys of all these.
    private let roots: Set<String>
    /// What a `status` states then, as JSend has it.
    let failures: NameList
    /// Members with a code.
    let codes: NameList

    init(_ lists: RecognitionLists) {
        success = lists.words(.resultsSuccess)
        roots = Set(success.map { String($0.part(before: ".")) } + Self.errors + ["status"])
        failures = lists.names(.resultsFailures)
        codes = lists.names(.resultsCodes)
    }

    /// Whether an answer that succeeds says of itself that it failed.
    func sayFailure(_ json: JSONValue) -> Bool {
        guard json.mayHaveKey(of: roots) else { return false }
        let status = json.value(at: "status")?.stringValue?.asciiLowercased
        return success.contains { json.value(at: $0)?.isFalse ?? false }
            || status.map(failures.contains) ?? false
            || Self.errors.contains { key in
                switch json.value(at: key) {
                case .null, .bool(false), .integer(0), .string(""), .array([]), nil: false
                default: true
                }
            }
    }
}

extension JSONValue {
    /// Whether it is the flag of a failure, as backends write that: `false`, 0 or the text.
    var isFalse: Bool {
        switch self {
        case .bool(let flag): !flag
        case .integer(let number): number == 0
        case .string(let text): text.asciiLowercased == "false"
        case .null, .number, .array, .object: false
        }
    }
}

/// Words that stand in the place of a token.
package struct MissingTokenWords: Sendable {
    private let redactions: Set<String>
    private let placeholders: NameList

    init(_ lists: RecognitionLists) {
        redactions = Set(lists.words(.missingRedacted).map(\.asciiLowercased))
        placeholders = lists.names(.missingPlaceholders)
    }

    /// Whether a text is what tools write in place of a token that they have taken out, such as
    /// `[redacted]`, `***`, `<token>`, `(token removed)` or the same for each part of a JWT.
    package func isRedacted(_ text: String) -> Bool {
        let isShort = text.utf8.count <= Self.longestRedaction
        let mayHaveMarks = isShort || text.hasByte(Self.isOpening)
        guard mayHaveMarks, text.utf8.count <= Self.longestText else { return false }
        let bytes = text.utf8.map(\.asciiLowercased)
        if let first = bytes.first, let last = bytes.last, bytes.count > 2,
            Self.brackets.contains([first, last]),
            bytes.dropFirst().dropLast().allSatisfy({ $0.isLetter || " _-".utf8.contains($0) }),
            !isPlaceholder(text.asciiLowercased.replacing(bytes: " ", with: ""))
        {
            return true
        }
        let parts = text.parts(at: ".")
        if parts.count == 3, parts.contains(where: { isRedacted(String($0)) }) { return true }
        guard isShort else { return false }
        let letters = bytes.filter(\.isAlphanumeric)
        // Stars, dots or crosses alone.
        if Set(text.unicodeScalars).subtracting([" "]).count == 1, bytes.count > 2 {
            return letters.isEmpty || bytes.first == UInt8(ascii: "x")
        }
        let words = bytes.split { !$0.isLetter }
        return letters.count < Self.longestRedaction / 2
            && words.contains { redactions.contains(String(decoding: $0, as: UTF8.self)) }
    }

    /// Whether a byte is one that no long token has.
    private static func isOpening(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "["), UInt8(ascii: "<"), UInt8(ascii: "{"), UInt8(ascii: "("): true
        default: false
        }
    }

    /// The size of the longest text that is read, in bytes.
    private static let longestText = 16 * 1024
    /// The marks around a redaction.
    private static let brackets = Set(["<>", "[]", "{}", "()"].map { Array($0.utf8) })
    /// The size of the longest redaction with what is around it, in bytes.
    private static let longestRedaction = 48

    /// Whether a text, in small letters and without quotes and spaces, is what a program writes in
    /// place of a token that it does not have.
    package func isPlaceholder(_ text: String) -> Bool { placeholders.contains(text) }
}

/// Names of the sockets and streams by which the servers of developers reload pages.
package struct DevelopmentSockets: Sendable {
    private let protocols: NameList
    private let paths: NameList

    init(_ lists: RecognitionLists) {
        protocols = lists.names(.developmentProtocols)
        paths = lists.names(.developmentPaths)
    }

    /// Whether a request opens one.
    package func isOpened(by request: WireRequest) -> Bool {
        let offered = request.header("Sec-WebSocket-Protocol") ?? ""
        return offered.parts(at: ",").contains { protocols.contains($0.plainName) }
            || request.path.parts(at: "/").contains { paths.contains($0.plainName) }
    }
}
