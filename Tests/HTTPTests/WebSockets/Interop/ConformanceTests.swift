import Foundation
import TestSupport
import Testing

@testable import HTTP

/// Autobahn|Testsuite's `wstest`, which needs Python 2.
private let wstest = ProcessInfo.processInfo.environment["AUTHTOP_WSTEST"]

/// The public conformance suite, all of whose cases take minutes.
///
/// The report is left in the folder that is printed.
@Suite(
    "The conformance suite of others",
    .serialized,
    .timeLimit(.minutes(60)),
    .enabled("AUTHTOP_WSTEST is not the path of wstest") { wstest != nil }
)
struct ConformanceTests {
    /// Larger than the largest messages of the suite.
    private static let limits = WebSocketLimits(
        maximumMessage: 32 << 20,
        maximumFrame: 32 << 20,
        closeTimeout: .seconds(10)
    )

    private let folder: URL

    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "wstest-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        print("conformance: \(folder.path)")
    }

    @Test("the client's cases")
    func client() async throws {
        let port = Int.random(in: 20_000..<30_000)
        let wstest = try start("fuzzingserver", ["url": "ws://127.0.0.1:\(port)"])
        let dialer = WebSocketDialer.unpredictable(limits: Self.limits)
        let count = try await eventually("the suite") {
            try? await Self.caseCount(at: port, dialer)
        }
        for number in 1...count {
            let path = "/runCase?case=\(number)&agent=authtop"
            let connection = try? await dialer.open(.local(port, path: path))
            if let connection { await WebSocketConnection.echo(connection) }
        }
        let reports = try await dialer.open(.local(port, path: "/updateReports?agent=authtop"))
        _ = await reports.end()
        await wstest.stop()
        try judge(count: count)
    }

    @Test("the server's cases")
    func server() async throws {
        try await withServer(limits: Self.limits, serve: WebSocketConnection.echo) { port in
            let server = ["agent": "authtop", "url": "ws://127.0.0.1:\(port)"]
            let wstest = try start("fuzzingclient", ["servers": [server]])
            try await wstest.ended(within: .seconds(3000))
            try judge(count: nil)
        }
    }

    private func start(_ mode: String, _ settings: [String: Any]) throws -> Program {
        let path = try #require(wstest)
        var specification: [String: Any] = [
            "outdir": folder.path, "cases": ["*"], "exclude-cases": [String](),
            "exclude-agent-cases": [String: String](),
        ]
        specification.merge(settings) { $1 }
        let file = folder.appending(path: "specification.json")
        try JSONSerialization.data(withJSONObject: specification).write(to: file)
        return try Program(path, ["-m", mode, "-s", file.path, "-u", "0"])
    }

    private static func caseCount(at port: Int, _ dialer: WebSocketDialer) async throws -> Int? {
        let connection = try await dialer.open(.local(port, path: "/getCaseCount"))
        var events = connection.events.makeAsyncIterator()
        guard case .text(let text) = await events.next() else { return nil }
        _ = await connection.close()
        return Int(text)
    }

    private func judge(count: Int?) throws {
        let index = try Data(contentsOf: folder.appending(path: "index.json"))
        let agents = try JSONSerialization.jsonObject(with: index) as? [String: [String: Any]]
        let cases = try #require(agents?["authtop"] as? [String: [String: Any]])
        var verdicts: [String: Int] = [:]
        for (name, result) in cases {
            let behavior = result["behavior"] as? String ?? "none"
            let close = result["behaviorClose"] as? String ?? "none"
            verdicts["\(behavior), closed \(close)", default: 0] += 1
            #expect(!["FAILED", "WRONG CODE", "UNCLEAN", "none"].contains(behavior), "\(name)")
            #expect(!["FAILED", "WRONG CODE", "none"].contains(close), "\(name)")
        }
        print("conformance: \(cases.count) cases: \(verdicts)")
        #expect(cases.count > 500)
        if let count { #expect(cases.count == count) }
    }
}
