import Basics
import Client
import FoundationEssentials
import Glibc
import Model
import Observer
import Platform
import Profiles

/// The real clock, randomness, environment and folders, which only this file names.
struct LiveEnvironment: Sendable {
    /// The machine's clocks.
    let machineTime: any Timekeeper
    /// The program's clocks, of which the user can shift the wall clock.
    let clock: ShiftableTimekeeper
    /// The variables of the environment but the credentials.
    let variables: [String: String]
    /// The credentials by the names of the variables that they came in.
    let credentials: [String: Secret]
    /// The metadata of issuers that this run has read.
    let issuers = IssuerMemory()

    var time: any Timekeeper { clock }

    init() {
        machineTime = LiveTimekeeper()
        clock = ShiftableTimekeeper(machineTime)
        credentials = EnvironmentCredentials.values
        variables = ProcessInfo.processInfo.environment.filter { !ChildSpawn.isCredential($0.key) }
    }

    /// Returns a seed for jitter and, in the sandbox, for everything.
    func randomSeed() -> UInt64 {
        UInt64.random(in: .min ... .max)
    }

    func randomBytes(_ count: Int) -> [UInt8] {
        (0..<count).map { _ in UInt8.random(in: .min ... .max) }
    }

    /// Signs for a client with this key, if it has one; tokens are bound to the other one, or each
    /// session's to one of its own.
    func prover(signingWith key: SigningKey?, binding proofKey: Secret? = nil) -> ClientProver {
        ClientProver(
            randomBytes: { randomBytes($0) },
            key: key,
            newProofKey: { proofKey ?? ProofKey.fresh() },
            proofSigner: { ProofKey.signing($0) }
        )
    }

    /// Returns the network of this run.
    ///
    /// - Parameters:
    ///   - caFile: The file of authorities to trust in addition to the system's.
    ///   - proxy: The proxy to every server with TLS, or `nil` for those of the environment.
    /// - Returns: The configuration.
    /// - Throws: `CommandFailure` if the file, or a variable, cannot be used.
    func networkConfiguration(caFile: String?, proxy: String? = nil) throws -> NetworkConfiguration
    {
        var trust = TrustRoots.system
        if let caFile {
            do {
                trust = try TrustRoots(caFile: caFile)
            } catch {
                throw CommandFailure(.badInput, error.description)
            }
        }
        let proxies: ProxySettings
        do throws(ProxySettingsError) {
            proxies = try ProxySettings(
                variables: proxy.map { ["HTTPS_PROXY": $0] } ?? variables
            )
        } catch {
            throw CommandFailure(.badInput, error.description)
        }
        return NetworkConfiguration(
            timekeeper: time,
            trust: trust,
            proxies: proxies,
            random: { UInt64.random(in: .min ... .max) }
        )
    }

    /// The local time zone's current offset from UTC, in seconds.
    var utcOffsetSeconds: Int {
        var now = Glibc.time(nil)
        var local = tm()
        localtime_r(&now, &local)
        return local.tm_gmtoff
    }

    /// Returns fingerprints with the salt of this installation, which is created at first use unless
    /// nothing may be written.
    ///
    /// If the salt is not stored, fingerprints are valid for this run only.
    func fingerprinter(createsSalt: Bool = true) -> Fingerprinter {
        let fresh = randomBytes(InstallSalt.size)
        guard let folder = try? stateFolder else { return Fingerprinter(salt: fresh) }
        let salt = InstallSalt(folder: folder, fresh: fresh)
        return Fingerprinter(salt: (createsSalt ? salt.read() : salt.existing()) ?? fresh)
    }

    /// The state folder, `$XDG_STATE_HOME/authtop` or `~/.local/state/authtop`.
    ///
    /// Fails if neither variable is set.
    var stateFolder: String {
        get throws(CommandFailure) {
            try folder(variable: "XDG_STATE_HOME", inHome: ".local/state")
        }
    }

    /// The folder in which the program was started.
    static var workingFolder: String { FileManager.default.currentDirectoryPath }

    /// The user's own profiles and the built-in dialects.
    var catalogue: DialectCatalogue {
        DialectCatalogue(
            configurationFolder: Result { () throws(CommandFailure) in
                try folder(variable: "XDG_CONFIG_HOME", inHome: ".config")
            }
        )
    }

    /// The user's own settings, or the program's if there is no file.
    func userConfiguration() throws -> UserConfiguration {
        guard let folder = try? folder(variable: "XDG_CONFIG_HOME", inHome: ".config") else {
            return UserConfiguration()
        }
        return try UserConfiguration(file: folder + "/config.toml", themes: catalogue.themes())
    }

    /// The user's defaults for the screen, or the program's own if there is no file; with the theme
    /// that the command line names.
    func screenDefaults(_ appearance: AppearanceOptions? = nil) throws -> ScreenDefaults {
        var defaults = try userConfiguration().screen
        if let name = appearance?.themeName { try defaults.choose(theme: name) }
        return defaults
    }

    /// Returns a path of a profile, with `~/` replaced by the home folder.
    func path(_ text: String) throws(CommandFailure) -> String {
        guard text.begins(with: "~/") else { return text }
        guard let home = variables["HOME"], home.begins(with: "/") else {
            throw CommandFailure(.badInput, "\(text): HOME is not set to an absolute path")
        }
        return home + text.dropFirst()
    }

    /// Returns a folder.
    ///
    /// A relative path in one of the XDG variables is ignored, as their specification requires; a
    /// relative `HOME` is rejected, since it would depend on the working folder.
    private func folder(variable: String, inHome path: String) throws(CommandFailure) -> String {
        if let base = variables[variable], base.begins(with: "/") { return base + "/authtop" }
        if let home = variables["HOME"], home.begins(with: "/") { return "\(home)/\(path)/authtop" }
        let found = variables["HOME"].map { $0.isEmpty ? "empty" : "not absolute" } ?? "not set"
        throw CommandFailure(
            .badInput,
            "HOME is \(found): set it, or \(variable), to the absolute path of a folder"
        )
    }
}
