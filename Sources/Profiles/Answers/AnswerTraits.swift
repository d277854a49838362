package import Basics

/// The parts of an answer that say whether it succeeds and what it refuses: they are the same for
/// the client, which knows its request, and for readers of another client's traffic.
package struct AnswerTraits: Sendable {
    let status: Int
    /// The code of its error, a few words or a number.
    let errorCode: String?
    /// The keys that lead to that, joined by dots, or `nil` if those cannot name it.
    let errorKey: String?
    /// The errors of its challenges (RFC 6750 section 3), in small letters.
    let challenges: Set<String>
    /// Its JSON, or the elements of its XML.
    let json: JSONValue?
    /// Whether it had no body at all, also none that cannot be read.
    let isEmpty: Bool
    /// Where it redirects to, if that can say something of the token.
    let location: String?
    /// The status of a call of gRPC, or `nil` if it is none.
    let grpcStatus: Int?
    /// Whether its error says that a later attempt may succeed.
    let asksToWait: Bool

    package init(
        status: Int,
        errorCode: String? = nil,
        errorKey: String? = nil,
        challenges: Set<String> = [],
        json: JSONValue? = nil,
        isEmpty: Bool = false,
        location: String? = nil,
        grpcStatus: Int? = nil,
        asksToWait: Bool = false
    ) {
        self.status = status
        self.errorCode = errorCode
        self.errorKey = errorKey
        self.challenges = challenges
        self.json = json
        self.isEmpty = isEmpty
        self.location = location
        self.grpcStatus = grpcStatus
        self.asksToWait = asksToWait
    }

    /// - Parameters:
    ///   - response: The answer.
    ///   - body: Its body.
    ///   - request: Its request, whose token a redirection may refuse; `nil` if none does.
    ///   - isEmpty: Whether it had no body at all; `nil` if all of the body is there.
    ///   - recognition: The places of errors.
    init(
        _ response: WireResponse,
        _ body: ResponseBody,
        to request: WireRequest? = nil,
        isEmpty: Bool? = nil,
        by recognition: Recognition
    ) {
        let status = GRPCStatus.code(of: response)
        var error =
            body.named.map { recognition.errorCode(in: $0) } ?? response.redirectedError
        if error == nil, let name = status.flatMap(GRPCStatus.name) {
            error = (name, GRPCStatus.field)
        }
        self.init(
            status: response.status,
            errorCode: error?.code,
            errorKey: error?.key,
            challenges: Challenge.errors(in: response),
            json: body.named,
            isEmpty: isEmpty ?? response.body.isEmpty,
            location: request.flatMap {
                recognition.signInRedirection(of: $0, to: response.header("Location"))
            },
            grpcStatus: status,
            asksToWait: error.map { recognition.laterCodes.contains($0.code.asciiLowercased) }
                ?? false
        )
    }

    /// Whether it brings what was asked for, as far as its status tells, and that of gRPC.
    package var isSuccess: Bool {
        ResponseClass(status: status) == .success && grpcStatus ?? 0 == 0
    }

    /// Whether the backend was unable to decide, so that nothing is said of a token.
    package var isTransient: Bool {
        ResponseClass.isNeverTerminal(status) || asksToWait && !isSuccess
            || grpcStatus.map(GRPCStatus.transient.contains) ?? false
    }
}

extension WireResponse {
    /// The fields that it adds to the address that it redirects to, decoded: those of the fragment,
    /// which may have tokens, and those of the query (RFC 6749 section 4.2.2).
    var redirectedFields: (fragment: [String: String], query: [String: String]) {
        guard (300..<400).contains(status), let location = header("Location") else {
            return ([:], [:])
        }
        let (address, fragment) = location.halves(at: "#") ?? (location[...], nil)
        return (
            fragment.map { FormEncoding.decode($0) } ?? [:],
            address.halves(at: "?").map { FormEncoding.decode($0.after) } ?? [:]
        )
    }

    /// The error among them, which no path of keys names.
    fileprivate var redirectedError: (code: String, key: String?)? {
        let (fragment, query) = redirectedFields
        return [fragment, query].lazy.compactMap { $0["error"] }.first(where: \.isErrorCode)
            .map { ($0, nil) }
    }
}

extension Recognition {
    /// Returns the code of an error in an answer, and the path of keys that leads to it unless that
    /// leads through a list, or `nil` if there is none.
    fileprivate func errorCode(in json: JSONValue) -> (code: String, key: String?)? {
        guard mayStateError(json) else { return nil }
        for place in errorPlaces {
            let code = json.values(along: place).lazy.compactMap { value -> String? in
                // A number is often the status again.
                if let number = value.numberValue, number < 600 { return nil }
                return value.displayText.map(\.withoutNamespace).flatMap {
                    $0.isErrorCode ? $0 : nil
                }
            }
            .first
            guard let code else { continue }
            return (code, json.value(at: place)?.displayText == code ? place : nil)
        }
        return nil
    }
}

extension String {
    /// The name of an error without that of its service before it, as in
    /// `com.amazon.coral.service#ExpiredTokenException`.
    fileprivate var withoutNamespace: String {
        utf8.lastIndex(of: UInt8(ascii: "#")).map { String(self[utf8.index(after: $0)...]) } ?? self
    }

    /// Whether it is a few words or a number, as the codes of errors are, and no text that may be a
    /// secret: digits follow the letters of a word, as in `AADSTS70008`; a number may be negative.
    var isErrorCode: Bool {
        guard (1...40).contains(utf8.count) else { return false }
        let text = utf8.first == UInt8(ascii: "-") ? utf8.dropFirst() : utf8[...]
        let words = text.split(omittingEmptySubsequences: false) { "_.-".utf8.contains($0) }
        return words.allSatisfy { word in
            let digits = word.drop(while: \.isLetter)
            return !word.isEmpty
                && (digits.isEmpty || word.count <= 12 && digits.allSatisfy(\.isDigit))
        }
    }
}
