import Foundation
import TestSupport
import Testing

/// `killpoint.c`, built once for all tests.
enum KillShim {
    private static let built = Task {
        let source = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "killpoint.c").path(percentEncoded: false)
        let library = Bundle.main.bundleURL
            .appending(path: "authtop-killpoint.so").path(percentEncoded: false)
        try await Program.shell(
            "clang -shared -fPIC -O1 -Wall -Wextra -Werror '\(source)' -o '\(library)'"
        )
        return library
    }

    /// The variables that make a program kill itself.
    ///
    /// - Parameters:
    ///   - point: By its name in `killpoint.c`.
    ///   - path: Of the request that belongs to the flight.
    ///   - arm: Nothing happens before this file is there; `nil`: at once.
    ///   - hit: Where the point's name is written then.
    /// - Returns: Variables for its environment.
    /// - Throws: Where there is no compiler.
    static func variables(
        at point: String,
        of path: String,
        arm: String?,
        hit: String
    ) async throws -> [String: String] {
        var variables = [
            "LD_PRELOAD": try await built.value,
            "KILLPOINT": point,
            "KILLPOINT_POST": path,
            "KILLPOINT_HIT": hit,
        ]
        variables["KILLPOINT_ARM"] = arm
        return variables
    }
}
