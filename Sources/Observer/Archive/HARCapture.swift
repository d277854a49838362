package import Basics
import FoundationEssentials
import Model
package import Profiles

/// Another tool's capture of an app's traffic, as an HTTP archive (HAR 1.2).
///
/// It contains an app's secrets, as `TrafficInput` does.
package struct HARCapture: Sendable {
    /// The size of the largest archive that is read, in bytes.
    package static let sizeLimit = 256 << 20

    /// In the order in which they happened.
    ///
    /// The exchanges are numbered in the order of their starts.
    package private(set) var steps: [(input: TrafficInput, at: Moment)] = []
    /// The number of exchanges with a backend.
    package let count: Int
    /// The number of entries that are none, such as those of caches.
    let skipped: Int
    /// The entries that could not be read.
    package let leftOut: [HARProblem]
    /// The number of those whose exchanges may belong to what the others show.
    let missingExchanges: Int
    /// The number of bodies that may have had tokens, and are not in the archive.
    package let missingBodies: Int
    /// The number of exchanges in which a tool has put something else in the place of a token.
    package let redacted: Int
    /// The origin of the first exchange with credentials, or of the first one, if there is any.
    package let origin: String?
    /// Whether this program wrote it, with fingerprints in place of tokens.
    package let isOurs: Bool
    /// Whether a request has a credential where archives without sensitive data have none.
    package let hasCredentials: Bool
    let startedAt: Moment
    let endedAt: Moment

    /// - Parameters:
    ///   - bytes: The whole file.
    ///   - recognition: The meanings of the names of its values.
    ///   - file: Returns a file beside the archive by its name, or `nil` if there is none: some tools
    ///     keep bodies there.
    /// - Throws: `HARProblem` if it is no archive, or none of its entries can be read.
    package init(
        reading bytes: [UInt8],
        by recognition: Recognition = .builtIn,
        file: (String) -> [UInt8]? = { _ in nil }
    ) throws(HARProblem) {
        guard let json = HARText.json(in: bytes) else {
            throw HARProblem(
                place: "the file",
                message: "expected JSON, found another text, or one that is cut off"
            )
        }
        let log = try HARNode(value: json, place: "").member("log")
        let creator = try log.optional("creator")?.optional("name")?.text() ?? ""
        isOurs = creator == HARDocument.creator
        let countsConnectTwice = creator.asciiLowercased.containsBytes(of: "mitmproxy")
        var entries: [HAREntry] = []
        var leftOut: [(problem: HARProblem, node: HARNode)] = []
        let nodes = try log.member("entries").elements()
        for node in nodes {
            do throws(HARProblem) {
                let entry = try HAREntry(
                    node,
                    countsConnectTwice: countsConnectTwice,
                    file: file
                )
                if let entry { entries.append(entry) }
            } catch {
                leftOut.append((error, node))
            }
        }
        if entries.isEmpty, let first = leftOut.first { throw first.problem }
        self.leftOut = leftOut.map(\.problem)
        let origins = Set(entries.compactMap(\.request.origin))
        missingExchanges = leftOut.count { HAREntry.mayBelong($0.node, to: origins) }
        missingBodies = entries.reduce(0) { $0 + $1.missingBodies }
        // Entries with equal times stay in their order.
        let sorted = entries.enumerated()
            .sorted { ($0.element.startedAt, $0.offset) < ($1.element.startedAt, $1.offset) }
            .map(\.element)
        count = sorted.count
        skipped = nodes.count - sorted.count - leftOut.count
        redacted = sorted.count { $0.isRedacted(by: recognition) }
        hasCredentials = sorted.contains(where: \.hasCredentials)
        origin = (sorted.first(where: \.hasCredentials) ?? sorted.first)?.request.origin
        let start = sorted.first?.startedAt ?? Date(timeIntervalSince1970: 0)
        startedAt = Moment(now: .origin, wall: start)
        let ordered = Self.steps(of: sorted)
        steps = ordered.map { step in
            let now = Instant.origin.advanced(bySeconds: step.at.timeIntervalSince(start))
            return (step.input, Moment(now: now, wall: step.at))
        }
        endedAt = steps.last?.at ?? startedAt
    }

    private struct Step {
        let input: TrafficInput
        let at: Date
    }

    private static func steps(of entries: [HAREntry]) -> [Step] {
        var connections: [String: Int] = [:]
        var steps: [Step] = []
        for (index, entry) in entries.enumerated() {
            // Where connections are not named, none is taken for another one.
            let name = entry.connection ?? ""
            let connection = connections[name] ?? connections.count + 1
            connections[name] = connection
            steps += Self.steps(of: entry, number: index + 1, connection: connection)
        }
        return steps.enumerated()
            .sorted { ($0.element.at, $0.offset) < ($1.element.at, $1.offset) }
            .map(\.element)
    }

    private static func steps(of entry: HAREntry, number: Int, connection: Int) -> [Step] {
        func step(_ kind: TrafficInput.Kind, _ at: Date) -> Step {
            Step(input: TrafficInput(exchange: number, kind: kind), at: at)
        }
        let request: [TrafficInput.Kind] = [
            .requestHead(entry.request, connection: connection, peer: "capture"),
            .requestBody(entry.request.body),
            .requestEnd(bytes: entry.request.body.count),
        ]
        let sent = request.map { step($0, entry.startedAt) }
        guard let response = entry.response else {
            return sent + [step(.failed(ExchangeFailure(captured: entry.failure)), entry.endedAt)]
        }
        guard response.status == 101 else {
            let rest: [TrafficInput.Kind] = [
                .responseHead(response), .responseBody(response.body),
                .responseEnd(bytes: response.body.count),
                .delivered(whole: !ExchangeFailure.isAppsEnd(entry.failure)),
            ]
            return sent + rest.map { step($0, entry.endedAt) }
        }
        // The end of a socket is not in an archive: the last that is known of it counts as one that
        // the app chose.
        let opened = min(entry.endedAt, entry.messages.first?.at ?? entry.endedAt)
        let closed = max(entry.endedAt, entry.messages.last?.at ?? entry.endedAt)
        return sent + [step(.responseHead(response), opened), step(.socketOpened, opened)]
            + entry.messages.map { step(.socketMessage($0.message), $0.at) }
            + [step(.socketClosed(SocketEnd(by: .app, code: nil)), closed)]
    }
}

extension ExchangeFailure {
    /// Whether a tool says that the app did not wait for the whole answer.
    fileprivate static func isAppsEnd(_ captured: String?) -> Bool {
        let lower = captured?.asciiLowercased ?? ""
        return ["aborted", "cancel", "client disconnected", "not delivered"]
            .contains(where: lower.contains)
    }

    /// A tool's text for an exchange without an answer, such as Chromium's `net::ERR_ABORTED`.
    fileprivate init(captured text: String?) {
        let lower = text?.asciiLowercased ?? ""
        let unsent = [
            "refused", "name_not_resolved", "unreachable", "blocked", "disconnected", "cert_",
            "connection_failed",
        ]
        if Self.isAppsEnd(text) {
            self = .abandoned
        } else if unsent.contains(where: lower.contains) {
            self = .notSent(message: text ?? "")
        } else {
            self = .unanswered(message: text ?? "no answer was captured")
        }
    }
}
