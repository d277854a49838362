import Foundation
import Testing

/// `killpoint.c`, built once for all tests.
enum KillShim {
    /// Nil where it cannot be built.
    static let library: String? = {
        let source = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "killpoint.c").path(percentEncoded: false)
        let library = Bundle.main.bundleURL
            .appending(path: "authtop-killpoint.so").path(percentEncoded: false)
        let compiler = Process()
        compiler.executableURL = URL(filePath: "/usr/bin/env")
        compiler.arguments = [
            "clang", "-shared", "-fPIC", "-O1", "-Wall", "-Wextra", "-Werror", source, "-o",
            library,
        ]
        guard (try? compiler.run()) != nil else { return nil }
        compiler.waitUntilExit()
        return compiler.terminationStatus == 0 ? library : nil
    }()

    /// What makes a program kill itself.
    ///
    /// - Parameters:
    ///   - point: By its name in `killpoint.c`.
    ///   - path: Of the request that belongs to the flight.
    ///   - arm: Nothing happens before this file is there; nil: at once.
    ///   - hit: Where the point's name is written then.
    /// - Returns: Variables for its environment.
    /// - Throws: Where there is no compiler.
    static func variables(
        at point: String,
        of path: String,
        arm: String?,
        hit: String
    ) throws -> [String: String] {
        var variables = [
            "LD_PRELOAD": try #require(library, "clang cannot build killpoint.c"),
            "KILLPOINT": point,
            "KILLPOINT_POST": path,
            "KILLPOINT_HIT": hit,
        ]
        variables["KILLPOINT_ARM"] = arm
        return variables
    }
}
