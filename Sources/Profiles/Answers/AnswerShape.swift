package import Basics

/// What tells one kind of answer from others of the same endpoint: its status, the words and numbers
/// of its error, and where it redirects to, none of them a secret.
///
/// An answer that succeeds has none unless it says of itself that it failed, so that no data of a user
/// become part of one.
package struct AnswerShape {
    package let text: String

    /// The longest text of an error that is a part of it, in characters.
    private static let textLimit = 80

    /// Flags and numbers by which answers say that they failed.
    private static let flags = ["ok", "success", "status", "code", "errcode", "error.code"]

    /// - Parameters:
    ///   - reading: The answer.
    ///   - secrets: The secrets that it may repeat.
    package init?(
        of reading: AnswerReading,
        hiding secrets: @autoclosure () -> KnownSecrets
    ) {
        let (response, json, recognition) = (reading.response, reading.json, reading.recognition)
        let status = response.status
        guard !ResponseClass.isNeverTerminal(status), status >= 200 else { return nil }
        let isSuccess = status < 300
        if isSuccess {
            guard let json, recognition.results.sayFailure(json) else { return nil }
        }
        let secrets = secrets()
        let hider = UnknownSecrets(known: secrets, names: recognition.secrets)
        func shown(_ text: String) -> String {
            let safe = hider.hiding(in: text, limit: Self.textLimit).text
            return String(
                decoding: safe.utf8.map { $0.isDigit ? UInt8(ascii: "#") : $0 },
                as: UTF8.self
            )
        }
        var parts: Set<String> = []
        for place in recognition.errorPlaces + Self.flags {
            let words = json?.values(along: place).prefix(4).compactMap(\.displayText) ?? []
            for word in words where word.isErrorCode && secrets.hiding(in: word) == word {
                parts.insert("\(place)=\(word)")
            }
        }
        for place in recognition.errorTexts {
            let texts = json?.values(along: place).prefix(4).compactMap(\.stringValue) ?? []
            for text in texts where !text.isErrorCode { parts.insert("\(place)=\(shown(text))") }
        }
        if (300..<400).contains(status), let last = response.header("Location")?.lastSegment {
            parts.insert("location=\(shown(String(last)))")
        }
        let kind =
            json != nil
            ? "json" : response.body.isEmpty ? "empty" : reading.isPage ? "html" : "text"
        self.text = (["\(status)", kind] + parts.sorted()).joined(separator: " ")
            .inOneLine(limit: 512)
    }

    /// Returns the code with which an answer states its result, with the keys that lead to it, or `nil`
    /// if there is none.
    package static func resultCode(
        in reading: AnswerReading,
        hiding secrets: @autoclosure () -> KnownSecrets
    ) -> String? {
        guard case .object(let object) = reading.json else { return nil }
        let inner = object.sorted { $0.key < $1.key }.prefix(32).compactMap { key, value in
            if case .object(let object) = value {
                (path: "\(key.inOneLine(limit: 32)).", object)
            } else {
                nil
            }
        }
        for (path, object) in [(path: "", object)] + inner {
            for (key, value) in object.sorted(by: { $0.key < $1.key })
            where reading.recognition.results.codes.contains(key.plainName) {
                guard let code = value.displayText, code.isErrorCode,
                    secrets().hiding(in: code) == code
                else { continue }
                return "\(path)\(key.inOneLine(limit: 32))=\(code)"
            }
        }
        return nil
    }
}
