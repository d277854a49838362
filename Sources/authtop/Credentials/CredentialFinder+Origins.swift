import Dialects
import Tokens

extension CredentialFinder {
    /// Where each of the values that were found comes from, as text for a form.
    func origins(of found: [String: Secret]) -> [String: String] {
        let fromFile = file.flatMap { try? CredentialFile(path: $0).read() } ?? [:]
        return found.reduce(into: [:]) { origins, entry in
            let variable = variable(CredentialSpec(name: entry.key))
            if variables[variable]?.isEmpty == false {
                origins[entry.key] = "set by \(variable)"
            } else if fromFile[entry.key] != nil {
                origins[entry.key] = "from the file of --credentials"
            } else {
                origins[entry.key] = "typed before the start"
            }
        }
    }
}
