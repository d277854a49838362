import Glibc

/// The number of files and sockets that this process may have open at once.
package enum OpenFileLimit {
    private static let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)

    /// The limit that the process was started with.
    private static let inherited: rlimit = {
        var limit = rlimit()
        getrlimit(resource, &limit)
        return limit
    }()

    /// The limit that programs get: that of the start of this one.
    static var ofPrograms: Int { Int(clamping: inherited.rlim_cur) }

    /// Raises the limit as far as the system allows, and returns it.
    package static func raise() -> Int {
        let most = inherited.rlim_max
        return Int(clamping: set(most) ? most : inherited.rlim_cur)
    }

    /// Runs `start`, which starts a program, with the limit of this one's start.
    ///
    /// Some programs take every number below the limit for a file, and some none above 1 023.
    static func withInherited<Value>(_ start: () -> Value) -> Value {
        var ours = rlimit()
        getrlimit(resource, &ours)
        _ = set(inherited.rlim_cur)
        defer { _ = set(ours.rlim_cur) }
        return start()
    }

    private static func set(_ number: rlim_t) -> Bool {
        var limit = rlimit(rlim_cur: number, rlim_max: inherited.rlim_max)
        return setrlimit(resource, &limit) == 0
    }
}
