import ArgumentParser
import Basics
import Platform
import Profiles

/// The backend, and the locations of the credentials and the session.
struct ConnectionOptions: ParsableArguments {
    @Option(
        name: .customLong("base-url"),
        help: "The base URL of the backend, if the profile does not define it."
    )
    var baseURL: String?

    @Option(
        help: "A file of name = value lines, mode 0600, with the credentials.",
        completion: .file()
    )
    var credentials: String?

    @OptionGroup var trust: TrustOptions

    @Flag(
        name: .customLong("allow-insecure"),
        help: "Allow tokens to be sent in clear text to another machine."
    )
    var allowsInsecure = false

    @OptionGroup var vault: VaultOptions

    /// Returns the named profile with these options applied.
    func profile(
        named name: String,
        in environment: LiveEnvironment
    ) async throws -> ChosenProfile {
        let profile = try await environment.profile(named: name, caFile: trust.caFile)
        var chosen = try await chosen(profile, in: environment)
        chosen.source = ProfileReader(name: name, caFile: trust.caFile, profile: profile)
        return chosen
    }

    /// Returns a profile with these options applied.
    func chosen(
        _ profile: Profile,
        in environment: LiveEnvironment
    ) async throws -> ChosenProfile {
        let origins = try origins(of: profile, in: environment)
        let location = VaultLocation(
            profile: profile.name,
            baseURL: origins.base.description,
            folder: try environment.stateFolder
        )
        let network = try environment.networkConfiguration(caFile: trust.caFile)
        let sessionVault = try vault.vault(
            for: location.profile,
            at: location.baseURL,
            usual: profile.vault?.description ?? VaultKind.file.name,
            environment: environment
        )
        let registrar = ClientRegistrar(
            profile: profile.name,
            dialect: profile.dialect,
            origins: origins,
            network: network,
            vault: sessionVault,
            time: environment.time
        )
        return ChosenProfile(
            name: profile.name,
            dialect: profile.dialect,
            origins: origins,
            credentials: CredentialFinder(
                profile: profile.name,
                known: profile.dialect.credentials.map(\.name),
                environment: environment.credentials,
                variables: environment.variables,
                file: credentials,
                commands: profile.credentialCommands,
                time: environment.time,
                registrar: profile.dialect.registersClient ? registrar : nil
            ),
            signingKey: try await profile.signingKey(in: environment),
            network: network,
            localData: ProfileData(location: location, vault: sessionVault),
            retention: profile.keep.map(Retention.init) ?? Retention(),
            files: profile.files
        )
    }

    /// Returns the same profile, after removing its expired data.
    func openedProfile(
        named name: String,
        in environment: LiveEnvironment
    ) async throws -> ChosenProfile {
        let chosen = try await profile(named: name, in: environment)
        await chosen.localData.sweep(by: chosen.retention, at: environment.time.moment.wall)
        if chosen.dialect.policy.erasesOnLogout {
            // A pending logout was sent later; whatever prevents erasing is retried now.
            _ = try? await chosen.localData.eraseEndedRecord()
        }
        return chosen
    }

    /// Returns the same profile; fails if its session would not outlive the program.
    func storedProfile(
        named name: String,
        in environment: LiveEnvironment
    ) async throws -> ChosenProfile {
        let chosen = try await openedProfile(named: name, in: environment)
        guard !(chosen.vault is MemoryVault) else {
            throw CommandFailure(
                .badInput,
                "the vault memory keeps nothing beyond this command: use --vault file"
            )
        }
        return chosen
    }

    private func origins(
        of profile: Profile,
        in environment: LiveEnvironment
    ) throws -> BackendOrigins {
        BackendOrigins(
            try baseOrigin(of: profile),
            named: try profile.namedOrigins(allowsInsecure: allowsInsecure),
            renewal: profile.dialect.renewalOrigin,
            security: TransportSecurity(
                pins: profile.transport.pins,
                clientCertificate: try profile.clientCertificate(in: environment)
            )
        )
    }

    private func baseOrigin(of profile: Profile) throws -> BackendOrigin {
        guard let url = baseURL ?? profile.baseURL else {
            throw CommandFailure(
                .badInput,
                "\(profile.name) has no base URL: use --base-url, or define base_url in a profile"
            )
        }
        do {
            return try BackendOrigin(parsing: url, allowInsecure: allowsInsecure)
        } catch {
            let file = baseURL == nil ? "\(profile.files.first ?? ""): base_url: " : ""
            throw CommandFailure(.badInput, file + error.description)
        }
    }
}
