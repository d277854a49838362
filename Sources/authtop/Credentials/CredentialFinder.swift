import Basics
import Client
import Model
import Observer
import Profiles
import UI

/// Finds a login's credentials: in the environment, a file, a command, a registration or a prompt,
/// in this order, but never in an argument, which would be visible in `ps`.
struct CredentialFinder {
    let profile: String
    /// The names of all credentials of the profile.
    let known: [String]
    /// The credentials of the environment by their variables.
    let environment: [String: Secret]
    /// The environment of a command.
    let variables: [String: String]
    let file: String?
    /// The commands by the names of the credentials.
    let commands: [String: [String]]
    let time: any Timekeeper
    /// What registers the client, if the profile does not name it.
    var registrar: ClientRegistrar?

    /// Returns the available credentials of a login that may not be necessary, without asking the
    /// user.
    func findWithoutAsking(_ specs: [CredentialSpec]) async throws -> FixedCredentials {
        let found = try await find(specs, asks: false)
        let missing = specs.filter { found.values[$0.name] == nil }
        return FixedCredentials(
            values: found.values,
            problems: missing.map(problem),
            registration: found.registration
        )
    }

    /// Returns the credentials of a login, after asking the user for the missing ones.
    ///
    /// - Parameter specs: The dialect's credentials.
    /// - Returns: All of them.
    /// - Throws: `CommandFailure` with every place where a missing one can be provided.
    func find(_ specs: [CredentialSpec]) async throws -> FixedCredentials {
        let found = try await find(specs, asks: true)
        return FixedCredentials(values: found.values, registration: found.registration)
    }

    private func find(
        _ specs: [CredentialSpec],
        asks: Bool
    ) async throws -> (values: [String: Secret], registration: ClientRegistration?) {
        let fromFile = try file.map { try CredentialFile(path: $0).read(naming: known) } ?? [:]
        var found: [String: Secret] = [:]
        for spec in specs {
            if let value = environment[Self.variable(spec, of: profile)], !value.isEmpty {
                found[spec.name] = value
            } else if let value = fromFile[spec.name] {
                found[spec.name] = value
            } else if let arguments = commands[spec.name] {
                let command = CredentialCommand(
                    credential: spec.name,
                    arguments: arguments,
                    variables: variables,
                    time: time
                )
                found[spec.name] = try await command.value()
            }
        }
        var registration: ClientRegistration?
        if let registrar, found[ClientRegistrar.idName] == nil {
            let client = try await registrar.client(registering: asks)
            registration = ClientRegistration(
                client,
                by: registrar,
                besides: Set(found.keys)
            )
            found.merge(client?.credentials ?? [:]) { own, _ in own }
        }
        guard asks else { return (found, registration) }
        for spec in specs where found[spec.name] == nil { found[spec.name] = try ask(spec) }
        return (found, registration)
    }

    /// Returns the variable of a credential, such as `AUTHTOP_BITBASEL_IDENTITY_TOKEN`.
    static func variable(_ spec: CredentialSpec, of profile: String) -> String {
        let name = "AUTHTOP_\(profile)_\(spec.name)".asciiUppercased
        let plain = name.unicodeScalars.map { scalar in
            UInt8(exactly: scalar.value).flatMap { $0.isAlphanumeric ? $0 : nil }
                ?? UInt8(ascii: "_")
        }
        return String(decoding: plain, as: UTF8.self)
    }

    private func ask(_ spec: CredentialSpec) throws -> Secret {
        guard StandardInput.isTerminal, let prompt = TerminalPrompt() else {
            throw CommandFailure(
                .badInput,
                CauseText().text(problem(spec)) + ", or run in a terminal to be prompted"
            )
        }
        guard let answer = prompt.ask("\(profile) \(spec.title): ", isSecret: spec.isSecret),
            !answer.isEmpty
        else {
            throw CommandFailure(.badInput, "no \(spec.title) was given")
        }
        return Secret(answer)
    }

    private func problem(_ spec: CredentialSpec) -> CredentialProblem {
        CredentialProblem(
            credential: spec.name,
            place: CredentialProblem.Place(
                profile: profile,
                variable: Self.variable(spec, of: profile)
            )
        )
    }
}

extension CredentialSpec {
    fileprivate var title: String { name.replacing(bytes: "_", with: " ") }
}

extension CredentialFinder {
    /// Returns the origin of each value, as text for a form.
    func origins(of found: [String: Secret]) -> [String: String] {
        let fromFile = file.flatMap { try? CredentialFile(path: $0).read(naming: known) } ?? [:]
        return found.reduce(into: [:]) { origins, entry in
            let variable = Self.variable(CredentialSpec(name: entry.key), of: profile)
            if environment[variable]?.isEmpty == false {
                origins[entry.key] = "set by \(variable)"
            } else if fromFile[entry.key] != nil {
                origins[entry.key] = "from the file of --credentials"
            } else {
                origins[entry.key] = "typed before the start"
            }
        }
    }
}
