import Basics
import Client
import FoundationEssentials
import Glibc
import Model
import Platform
import Proxy

/// The authority of this user, which is made when it is first needed.
struct StoredAuthority {
    let authority: LocalAuthority
    /// The file with its certificate.
    let certificatePath: String
    let keyPath: String

    /// - Parameters:
    ///   - environment: Of the program.
    ///   - addresses: The addresses of this machine, besides loopback, that it must vouch for.
    /// - Throws: `CommandFailure` if it cannot be read or made, has ended, or vouches for too little.
    init(
        in environment: LiveEnvironment,
        for addresses: [NetworkAddress] = []
    ) throws(CommandFailure) {
        let files = try AuthorityFiles(in: environment)
        let now = environment.machineTime.moment.wall
        do throws(VaultProblem) {
            var stored = try files.read()
            if stored == nil {
                stored = try files.create(try Self.fresh(at: now, for: addresses).pem)
            }
            authority = try Self.parse(stored ?? "", at: now, of: files)
            try files.publish(authority.certificatePEM)
        } catch {
            throw CommandFailure(.badInput, error.message)
        }
        certificatePath = files.certificatePath
        keyPath = files.keyPath
        let vouched = authority.addresses
        if let address = addresses.first(where: { !vouched.contains($0) }) {
            throw CommandFailure(
                .badInput,
                "\(files.certificatePath): it does not vouch for \(address), which this machine has "
                    + "now: run `authtop proxy ca --remove`, then trust the next one"
            )
        }
    }

    private static func fresh(
        at now: Date,
        for addresses: [NetworkAddress]
    ) throws(VaultProblem) -> LocalAuthority {
        do throws(LocalAuthorityError) {
            return try LocalAuthority.fresh(at: now, for: addresses)
        } catch {
            throw VaultProblem(message: "no certificate could be made")
        }
    }

    private static func parse(
        _ pem: String,
        at now: Date,
        of files: AuthorityFiles
    ) throws(VaultProblem) -> LocalAuthority {
        do throws(LocalAuthorityError) {
            return try LocalAuthority(pem: pem, at: now)
        } catch {
            let reason =
                error == .expired
                ? "its certificate has ended" : "expected a key of P-256 and its certificate"
            throw VaultProblem(
                message: "\(files.keyPath): \(reason): run `authtop proxy ca --remove`, then trust "
                    + "the next one"
            )
        }
    }
}

extension AuthorityFiles {
    init(in environment: LiveEnvironment) throws(CommandFailure) {
        self.init(folder: try environment.stateFolder, mark: String(getpid()))
    }
}
