import Basics
import FoundationEssentials
import Glibc
import Platform

/// The credentials that were in the environment when the program started.
///
/// They are taken out of it: neither `/proc/PID/environ` nor the memory of the process has them
/// afterwards, except as a `Secret`.
enum EnvironmentCredentials {
    /// The values by the names of their variables.
    static let values = taken()

    private static func taken() -> [String: Secret] {
        let names = ProcessInfo.processInfo.environment.keys.filter(ChildSpawn.isCredential)
        return names.reduce(into: [:]) { values, name in
            guard let place = getenv(name) else { return }
            values[name] = Secret(String(cString: place))
            explicit_bzero(place, strlen(place))
        }
    }
}
