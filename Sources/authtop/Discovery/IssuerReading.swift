import Basics
import FoundationEssentials
import Platform
import Profiles
import UI

extension LiveEnvironment {
    /// Returns a profile with what its issuer states about itself, which is read once in a run.
    ///
    /// - Parameters:
    ///   - name: The name of the profile, or a file.
    ///   - caFile: Certificates to trust besides the system's.
    /// - Returns: The profile.
    /// - Throws: `CommandFailure` if the profile or the metadata cannot be used.
    func profile(named name: String, caFile: String?) async throws -> Profile {
        guard let issuer = try catalogue.issuer(of: name) else {
            return try catalogue.profile(named: name)
        }
        let reading = IssuerReading(issuer: issuer, environment: self, caFile: caFile)
        let provider = try await issuers.provider(of: issuer) { try await reading.provider() }
        return try catalogue.profile(named: name, filledBy: provider)
    }
}

/// The metadata that a run has read.
actor IssuerMemory {
    private var providers: [String: ProviderDescription] = [:]

    func provider(
        of issuer: ProfileIssuer,
        orReading read: @Sendable () async throws -> ProviderDescription
    ) async throws -> ProviderDescription {
        let key = "\(issuer.profile) \(issuer.url)"
        if let known = providers[key] { return known }
        let provider = try await read()
        providers[key] = provider
        return provider
    }
}

/// Reads the metadata of a profile's issuer, and keeps a copy for when it cannot be reached.
struct IssuerReading: Sendable {
    let issuer: ProfileIssuer
    let environment: LiveEnvironment
    let caFile: String?

    /// - Throws: `CommandFailure` with the file, the line and the key that name the issuer.
    func provider() async throws -> ProviderDescription {
        let discovery = ProviderDiscovery(
            issuer: issuer.url,
            isExact: true,
            name: issuer.url,
            security: TransportSecurity(pins: issuer.transport.pins, clientCertificate: nil)
        )
        let file = try? ProviderFile(
            profile: issuer.profile,
            issuer: issuer.url,
            folder: environment.stateFolder
        )
        do {
            let answer = try await discovery.read(in: environment, caFile: caFile)
            if let document = JSONValue(parsing: answer.document) {
                await file?.write(
                    ProviderFile.Copy(
                        address: answer.provider.address,
                        document: document,
                        readAt: environment.time.wall
                    )
                )
            }
            return answer.provider
        } catch let failure as CommandFailure {
            guard failure.exit == .unreachable, let copy = file?.copy,
                let provider = try? discovery.provider(
                    in: Array(copy.document.serialized.utf8),
                    at: copy.address
                )
            else {
                throw CommandFailure(failure.exit, issuer.error(failure.message).description)
            }
            let clock = ClockFormatter(utcOffsetSeconds: environment.utcOffsetSeconds)
            let readAt = clock.when(copy.readAt, now: environment.time.wall)
            StandardError.write(
                "authtop: \(issuer.profile): the metadata of \(readAt) is used: "
                    + failure.message
            )
            return provider
        }
    }
}
