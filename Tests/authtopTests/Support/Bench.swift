import Foundation
import Synchronization
import TestSupport

/// Something that a test started and that has to end with it.
protocol Stoppable: Sendable {
    func stop() async
}

extension Program: Stoppable {}
extension SmallDisk: Stoppable {}

/// Where a test works: a home folder of its own, and whatever it starts.
final class Bench: Sendable {
    let home: String
    private let started = Mutex<[any Stoppable]>([])

    init() throws {
        // Short, because the path of a socket may have 107 bytes.
        home = "/tmp/authtop-\(UUID().uuidString.prefix(8).lowercased())"
        try FileManager.default.createDirectory(
            atPath: home,
            withIntermediateDirectories: false,
            attributes: [.posixPermissions: 0o700]
        )
    }

    var environment: [String: String] { Authtop.environment(home: home) }

    func keep<Part: Stoppable>(_ part: Part) -> Part {
        started.withLock { $0.append(part) }
        return part
    }

    /// Starts authtop.
    func authtop(_ arguments: [String], with variables: [String: String] = [:]) throws -> Program {
        keep(
            try Program(
                Authtop.path,
                arguments,
                environment: environment.merging(variables) { $1 }
            )
        )
    }

    fileprivate func end() async {
        for part in started.withLock({ $0 }).reversed() { await part.stop() }
        try? FileManager.default.removeItem(atPath: home)
    }
}

/// Gives a test a bench, and clears it afterwards whatever happens.
func withBench(_ body: (Bench) async throws -> Void) async throws {
    let bench = try Bench()
    do {
        try await body(bench)
    } catch {
        await bench.end()
        throw error
    }
    await bench.end()
}
