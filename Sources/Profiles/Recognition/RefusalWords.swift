package import Basics

/// Words by which the code or the text of an error says that a token is refused.
final class RefusalWords: Sendable {
    private let subjects: [String]
    private let verdicts: [String]
    private let statements: [String]
    private let others: [String]
    private let forgery: [String]
    private let hints: [String]
    /// Members of a socket's message that say whether it is an error.
    private let states: [String]
    /// Parts of their values if it is.
    private let failures: [String]
    /// Members that only an error has.
    private let errors: [String]
    /// Members with the text of an error.
    fileprivate let messageTexts: [String]

    init(_ lists: RecognitionLists) {
        func words(_ list: RecognitionList) -> [String] {
            lists.words(list).map(\.asciiLowercased)
        }
        subjects = words(.refusalSubjects)
        verdicts = words(.refusalVerdicts)
        statements = words(.refusalStatements)
        others = words(.refusalOthers)
        forgery = words(.refusalForgery)
        hints = words(.refusalHints)
        states = lists.words(.messagesStates)
        failures = words(.messagesFailures)
        errors = lists.words(.messagesErrors)
        messageTexts = lists.words(.messagesTexts)
    }

    /// The longest text that is read, in bytes.
    private static let textLimit = 256

    /// Whether one of an answer's texts says so, and none is about another thing.
    func say(in texts: [String]) -> Bool {
        let texts = texts.map(Self.plain)
        func has(_ words: [String], _ text: String) -> Bool {
            words.contains(where: text.containsBytes)
        }
        return !texts.contains { has(others, $0) }
            && texts.contains { text in
                has(statements, text) || has(subjects, text) && has(verdicts, text)
            }
    }

    /// Whether one of an answer's texts is about a token against forged requests.
    func sayForgery(in texts: [String]) -> Bool {
        texts.map(Self.plain).contains { forgery.contains(where: $0.containsBytes) }
    }

    /// Whether a text, in small letters, has a word that hints at the token.
    func hint(in text: String) -> Bool { hints.contains(where: text.containsBytes) }

    /// Whether a backend's message on a socket is an error.
    func sayError(inMessage json: JSONValue) -> Bool {
        states.contains { name in
            let state = json.value(at: name)?.stringValue?.asciiLowercased ?? ""
            return failures.contains(where: state.containsBytes)
        }
            || errors.contains { json.values(along: $0).contains { $0 != .null } }
            || ["code", "status"].contains {
                [401, 403, 4_401, 4_403].contains(json.value(at: $0)?.numberValue ?? 0)
            }
    }

    private static func plain(_ text: String) -> String {
        let bytes = text.utf8.prefix(textLimit).map { byte in
            "_-.".utf8.contains(byte) ? UInt8(ascii: " ") : byte.asciiLowercased
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension Recognition {
    /// Whether the code or the text of an answer's error says that a token is refused; a body
    /// without names is read as a text unless it is a page.
    func saysRefusal(in body: ResponseBody, status: Int) -> Bool {
        guard let json = body.named else {
            guard case .text(let text) = body else { return false }
            return status >= 400 && refusalWords.say(in: [text])
        }
        return mayStateError(json)
            && refusalWords.say(in: json.texts(at: errorPlaces + errorTexts))
    }

    /// Whether an answer says that it refuses the token against forged requests, and no other one.
    func saysForgery(in body: ResponseBody, status: Int) -> Bool {
        guard (400..<500).contains(status) else { return false }
        if let json = body.named {
            return mayStateError(json)
                && refusalWords.sayForgery(in: json.texts(at: errorPlaces + errorTexts))
        }
        guard case .text(let text) = body else { return false }
        return refusalWords.sayForgery(in: [text])
    }

    /// Returns whether a backend's message on a socket is an error whose code or text says that a token
    /// is refused.
    package func saysRefusal(inMessage json: JSONValue) -> Bool {
        let places = errorPlaces + errorTexts + refusalWords.messageTexts
        return refusalWords.sayError(inMessage: json)
            && refusalWords.say(in: json.texts(at: places))
    }

    /// Returns whether the status and the words of an answer hint that it is about the token.
    package func hintsAtToken(_ kind: String) -> Bool {
        refusalWords.hint(in: kind.asciiLowercased)
    }
}

extension JSONValue {
    /// Returns the first texts at each of the paths of keys.
    fileprivate func texts(at places: [String]) -> [String] {
        places.flatMap { values(along: $0).prefix(4).compactMap(\.displayText) }
    }
}
