import Foundation

/// The program under test.
enum Authtop {
    /// `AUTHTOP_BINARY`, or what was built together with these tests.
    static let path =
        given ?? Bundle.main.bundleURL.appending(path: "authtop").path(percentEncoded: false)

    /// Whether the binary was named, as the static release build is by `.ci/run`.
    static let isGiven = given != nil

    private static let given = ProcessInfo.processInfo.environment["AUTHTOP_BINARY"]

    /// The same on every machine: nothing of the caller's environment gets in.
    static func environment(home: String) -> [String: String] {
        [
            "HOME": home,
            "LANG": "C.UTF-8",
            "PATH": "/usr/local/bin:/usr/bin:/bin",
            // It would take half a minute, and then wait for a key.
            "SWIFT_BACKTRACE": "enable=no",
            // What is done with an event loop that has ended is a mistake, and not a line on stderr.
            "SWIFTNIO_STRICT": "1",
            "TZ": "UTC",
            "XDG_CONFIG_HOME": home + "/config",
            "XDG_STATE_HOME": home + "/state",
        ]
    }
}
