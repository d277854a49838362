import Basics

/// The place of a value in a response.
enum JSONLocation: Sendable, Hashable {
    /// A dotted path of keys in a JSON body.
    case json(String)
    case header(String)
    /// A cookie that the response sets.
    case cookie(String)

    /// The place as a dialect's file writes it.
    var text: String {
        switch self {
        case .json(let path): path
        case .header(let name): "header:\(name)"
        case .cookie(let name): "cookie:\(name)"
        }
    }

    var isCookie: Bool {
        if case .cookie = self { true } else { false }
    }

    /// Whether a header has a scheme before the token.
    static func isAuthorization(_ name: String) -> Bool {
        name.isEqualIgnoringCase("authorization")
    }

    func value(in response: WireResponse, _ body: JSONValue) -> JSONValue? {
        switch self {
        case .json(let path): body.value(at: path)
        case .header(let name):
            response.header(name).map { .string(Self.isAuthorization(name) ? $0.bearer ?? $0 : $0) }
        case .cookie(let name):
            Cookies.value(of: name, setBy: response).map(JSONValue.string)
        }
    }
}

extension [JSONLocation] {
    /// Returns the first text that is present and not empty.
    func text(in response: WireResponse, _ body: JSONValue) -> String? {
        for place in self {
            guard let text = place.value(in: response, body)?.displayText, !text.isEmpty else {
                continue
            }
            return text
        }
        return nil
    }

    /// Returns the first string that is present and not empty; a number is not a token.
    func string(in response: WireResponse, _ body: JSONValue) -> String? {
        for place in self {
            guard let text = place.value(in: response, body)?.stringValue, !text.isEmpty else {
                continue
            }
            return text
        }
        return nil
    }
}
