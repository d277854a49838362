import Basics
import Client
import Model
import Observer
import Platform
import Profiles

/// A profile with the options of the command line and the environment applied.
struct ChosenProfile: Sendable {
    let name: String
    let dialect: Dialect
    let origins: BackendOrigins
    let credentials: CredentialFinder
    /// The key with which the client authenticates itself, if it has one.
    let signingKey: SigningKey?
    let network: NetworkConfiguration
    /// Its local data, including the session's record.
    let localData: ProfileData
    /// The time for which that data is kept while the profile is not used.
    let retention: Retention
    /// The files of the profile, its own first.
    let files: [String]
    /// The profile's files, to be read again when they are edited; `nil` where that is not wanted.
    var source: ProfileReader?

    /// The base URL.
    var origin: BackendOrigin { origins.base }
    var vault: any Vault { localData.vault }
    var statistics: StatisticsFile { localData.statistics }

    /// Returns the credentials for a login, after asking the user unless a stored session needs
    /// none.
    ///
    /// The user cannot be asked any more once the screen is shown.
    func foundCredentials() async throws -> FixedCredentials {
        await mayHoldSession()
            ? try await credentials.findWithoutAsking(dialect.credentials)
            : try await credentials.find(dialect.credentials)
    }

    /// Returns whether a session may be stored; a vault that cannot be read may contain one.
    func mayHoldSession() async -> Bool {
        do throws(VaultProblem) {
            return try await vault.load()?.pair != nil
        } catch {
            return true
        }
    }
}

extension ChosenProfile {
    /// Returns the stored session's state; nothing is sent, and nothing changes.
    func status(in environment: LiveEnvironment) async -> SessionStatus {
        SessionStatus(
            record: await vault.record(),
            machine: ClientMachine(
                configuration: SessionConfiguration(
                    profile: name,
                    dialect: dialect,
                    baseURL: origin.description,
                    vault: vault.place,
                    logsInAtStart: false
                ),
                fingerprinter: environment.fingerprinter(),
                random: SeededGenerator(seed: environment.randomSeed())
            ),
            at: environment.time.moment
        )
    }
}

extension Profile {
    /// A one-line summary: its dialect, backend, credentials, kind of renewal, logouts and feed.
    var summary: String {
        var parts = ["\(name) speaks \(dialect.name)"]
        if let baseURL { parts[0] += " at \(baseURL)" }
        let names = dialect.credentials.map(\.name)
        if !names.isEmpty { parts.append("credentials " + names.joined(separator: ", ")) }
        if dialect.needsBrowser {
            parts.append(
                dialect.usesDeviceCode ? "logs in on any device" : "logs in with a browser"
            )
        }
        parts.append(renewal)
        let scopes = dialect.logoutScopes.map(\.rawValue).sorted()
        if !scopes.isEmpty { parts.append("log out " + scopes.joined(separator: ", ")) }
        if dialect.hasFeed { parts.append("feed") }
        if issuer != nil {
            let origins = dialect.tokenOrigins(at: baseURL).joined(separator: ", ")
            parts.append("tokens go to \(origins)")
        }
        return parts.joined(separator: "; ")
    }

    private var renewal: String {
        if dialect.policy.renewal == .login { return "renews by logging in again" }
        return dialect.hasRefreshToken ? "renews by refresh token" : "does not renew"
    }

    /// Returns the origins that the file names besides the base URL, by their text.
    func namedOrigins(allowsInsecure: Bool) throws -> [String: BackendOrigin] {
        var origins: [String: BackendOrigin] = [:]
        for (exchange, text) in dialect.namedOrigins {
            do {
                origins[text] = try BackendOrigin(parsing: text, allowInsecure: allowsInsecure)
            } catch {
                throw CommandFailure(.badInput, "\(files[0]): \(exchange): \(error.description)")
            }
        }
        return origins
    }

    /// Returns the base URL if the file defines a valid one; clear text is permitted here.
    func checkedOrigin() throws -> BackendOrigin? {
        guard let baseURL else { return nil }
        do {
            return try BackendOrigin(parsing: baseURL, allowInsecure: true)
        } catch {
            throw CommandFailure(.badInput, "\(files[0]): base_url: \(error.description)")
        }
    }
}
