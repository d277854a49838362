import Dialects
import FoundationEssentials
import Glibc
import Networking
import Timekeeping
import Tokens
import Vaults

/// The one place that names the real clock, randomness, environment and folders.
struct LiveEnvironment: Sendable {
    let time: any Timekeeper = LiveTimekeeper()
    let variables: [String: String]

    init() {
        variables = ProcessInfo.processInfo.environment
    }

    /// A seed for jitter and, in the sandbox, for everything.
    func randomSeed() -> UInt64 {
        UInt64.random(in: .min ... .max)
    }

    func randomBytes(_ count: Int) -> [UInt8] {
        (0..<count).map { _ in UInt8.random(in: .min ... .max) }
    }

    func networkConfiguration(caFile: String?) throws -> NetworkConfiguration {
        var trust = TrustRoots.system
        if let caFile {
            do {
                trust = try TrustRoots(caFile: caFile)
            } catch {
                throw CommandFailure(.badInput, error.description)
            }
        }
        return NetworkConfiguration(
            timekeeper: time,
            trust: trust,
            random: { UInt64.random(in: .min ... .max) }
        )
    }

    /// The local zone's distance from UTC now, in seconds.
    var utcOffsetSeconds: Int {
        var now = Glibc.time(nil)
        var local = tm()
        localtime_r(&now, &local)
        return local.tm_gmtoff
    }

    /// The salt of this installation's fingerprints, made at first use.
    ///
    /// Where no file can be kept, fingerprints are those of this run only.
    func fingerprinter() -> Fingerprinter {
        let fresh = randomBytes(InstallSalt.size)
        guard let folder = try? stateFolder else { return Fingerprinter(salt: fresh) }
        return Fingerprinter(salt: InstallSalt(folder: folder, fresh: fresh).read() ?? fresh)
    }

    /// `$XDG_STATE_HOME/authtop`, or `~/.local/state/authtop`.
    ///
    /// Fails where neither variable names one.
    var stateFolder: String {
        get throws(CommandFailure) {
            try folder(variable: "XDG_STATE_HOME", inHome: ".local/state")
        }
    }

    /// Where the program was started.
    static var workingFolder: String { FileManager.default.currentDirectoryPath }

    /// A person's own profiles and the built-in dialects.
    var catalogue: DialectCatalogue {
        DialectCatalogue(
            folder: Result { () throws(CommandFailure) in
                try folder(variable: "XDG_CONFIG_HOME", inHome: ".config") + "/profiles"
            }
        )
    }

    /// A relative path in one of the XDG variables is ignored, as their specification wants it; one
    /// in `HOME` would mean another folder wherever the program is started.
    private func folder(variable: String, inHome path: String) throws(CommandFailure) -> String {
        if let base = variables[variable], base.hasPrefix("/") { return base + "/authtop" }
        if let home = variables["HOME"], home.hasPrefix("/") { return "\(home)/\(path)/authtop" }
        let found = variables["HOME"].map { $0.isEmpty ? "empty" : "no absolute path" } ?? "not set"
        throw CommandFailure(
            .badInput,
            "HOME is \(found): set it, or \(variable), to the absolute path of a folder"
        )
    }
}
