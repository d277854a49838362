import Dialects
import Tokens

/// Finds a login's credentials: environment, then file, then a prompt; never an argument, which
/// would show in `ps`.
struct CredentialFinder {
    let profile: String
    let variables: [String: String]
    let file: String?

    /// What a login needs.
    ///
    /// - Parameters:
    ///   - specs: The dialect's.
    ///   - asks: Whether the missing ones are asked for; else they stay missing.
    /// - Returns: The credentials by name.
    /// - Throws: `CommandFailure` naming every place where the missing one could be put.
    func find(_ specs: [CredentialSpec], asks: Bool = true) throws -> [String: Secret] {
        let fromFile = try file.map { try CredentialFile(path: $0).read() } ?? [:]
        if let unknown = fromFile.keys.sorted().first(where: { key in
            !specs.contains { $0.name == key }
        }) {
            let known = specs.map(\.name).joined(separator: ", ")
            throw CommandFailure(
                .badInput,
                "\(file ?? ""): unknown credential \"\(unknown)\", expected \(known)"
            )
        }
        var found: [String: Secret] = [:]
        for spec in specs {
            if let value = variables[variable(spec)], !value.isEmpty {
                found[spec.name] = Secret(value)
            } else if let value = fromFile[spec.name] {
                found[spec.name] = value
            } else if asks {
                found[spec.name] = try ask(spec)
            }
        }
        return found
    }

    /// `AUTHTOP_BITBASEL_IDENTITY_TOKEN`.
    func variable(_ spec: CredentialSpec) -> String {
        let name = "AUTHTOP_\(profile)_\(spec.name)".uppercased()
        return String(name.map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "_" })
    }

    private func ask(_ spec: CredentialSpec) throws -> Secret {
        let words = spec.name.replacing("_", with: " ")
        guard StandardInput.isTerminal, let prompt = TerminalPrompt() else {
            throw CommandFailure(
                .badInput,
                "no \(words) for \(profile): set \(variable(spec)), or name a file of mode 0600 "
                    + "with --credentials, or run in a terminal to be asked"
            )
        }
        guard let answer = prompt.ask("\(profile) \(words): ", isSecret: spec.isSecret),
            !answer.isEmpty
        else {
            throw CommandFailure(.badInput, "no \(words) was given")
        }
        return Secret(answer)
    }
}
