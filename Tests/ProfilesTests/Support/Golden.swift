import Foundation
import Profiles
import Testing

/// One exchange as a guide shows it, from a file under `Wire/DIALECT/`.
///
/// The file holds remarks, a request, an answer behind `HTTP/1.1`, and behind `==>` what the client
/// makes of the answer. Gaps such as `{access}` stand for the values of `Sample`.
struct Golden: Sendable, CustomTestStringConvertible {
    struct Message: Sendable {
        /// `POST /auth/refresh`, or a status.
        var start: String
        /// Without the gaps filled.
        var headers: [WireHeader]
        var body: String

        /// Whether a gap is in it.
        func holds(_ placeholder: String) -> Bool {
            ([start, body] + headers.map(\.value)).contains { $0.contains(placeholder) }
        }
    }

    var dialectName: String
    /// The file's name without `.http`; the part before the first hyphen names the exchange.
    var name: String
    var request: Message
    var answer: Message?
    /// `nil` where the client reads nothing.
    var meaning: String?
    /// Our client does not send this request.
    var isSandboxOnly: Bool
    /// Our sandbox does not give this answer.
    var isClientOnly: Bool

    var testDescription: String { "\(dialectName)/\(name)" }

    var exchange: String { String(name.prefix { $0 != "-" }) }

    /// The part after the exchange in the name, such as a cause; empty when there is none.
    var variant: String { String(name.dropFirst(exchange.count + 1)) }

    init(dialectName: String, name: String, text: String) {
        self.dialectName = dialectName
        self.name = name
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        let remarks = lines.prefix { $0.hasPrefix("#") }
        isSandboxOnly = remarks.contains("# sandbox only")
        isClientOnly = remarks.contains("# client only")
        let exchange = Array(lines.dropFirst(remarks.count))
        let meaningStart = exchange.firstIndex { $0.hasPrefix("==>") } ?? exchange.endIndex
        let answerStart =
            exchange.firstIndex { $0.hasPrefix("HTTP/1.1 ") } ?? meaningStart
        request = Self.message(exchange[..<answerStart])
        if answerStart < meaningStart {
            var message = Self.message(exchange[answerStart..<meaningStart])
            message.start = String(message.start.dropFirst("HTTP/1.1 ".count))
            answer = message
        }
        if meaningStart < exchange.endIndex {
            meaning = exchange[meaningStart...].joined(separator: "\n")
                .dropFirst(4).trimmingCharacters(in: .whitespacesAndNewlines)
        }
    }

    private static func message(_ lines: ArraySlice<String>) -> Message {
        let lines = lines.drop { $0.isEmpty }
        let head = lines.prefix { !$0.isEmpty }
        let headers = head.dropFirst().compactMap { line -> WireHeader? in
            let halves = line.split(separator: ":", maxSplits: 1).map(String.init)
            guard halves.count == 2 else { return nil }
            return WireHeader(halves[0], halves[1].trimmingCharacters(in: .whitespaces))
        }
        let body = lines.dropFirst(head.count).joined(separator: "\n")
        return Message(
            start: head.first ?? "",
            headers: headers,
            body: body.trimmingCharacters(in: .whitespacesAndNewlines)
        )
    }

    /// All files, in alphabetical order.
    static let all: [Golden] = {
        let folder = URL(filePath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "Wire")
        let manager = FileManager.default
        let dialects = (try? manager.contentsOfDirectory(atPath: folder.path())) ?? []
        return dialects.sorted().flatMap { dialect -> [Golden] in
            let folder = folder.appending(path: dialect)
            let files = (try? manager.contentsOfDirectory(atPath: folder.path())) ?? []
            return files.sorted().compactMap { file -> Golden? in
                guard file.hasSuffix(".http"),
                    let text = try? String(
                        contentsOf: folder.appending(path: file),
                        encoding: .utf8
                    )
                else { return nil }
                return Golden(
                    dialectName: dialect,
                    name: String(file.dropLast(".http".count)),
                    text: text
                )
            }
        }
    }()
}
