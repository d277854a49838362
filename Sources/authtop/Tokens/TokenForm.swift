import ArgumentParser
import Basics
import Profiles

/// The forms in which `authtop token` prints a token, each a contract that programs have.
enum TokenForm: String, CaseIterable, ExpressibleByArgument, Sendable {
    case plain, header, json
    /// Kubernetes: `ExecCredential` of client.authentication.k8s.io.
    case execCredential = "exec-credential"
    /// AWS: the answer of a `credential_process`.
    case aws
    /// Google: the answer of executable-sourced credentials (AIP-4117).
    case gcloud
    /// git: the answer of a credential helper (git-credential(1)).
    case git
}

/// A form with what the program that asks has said of it.
enum TokenContract: Sendable, Hashable {
    case plain, header, json
    case execCredential(apiVersion: String)
    case aws
    /// With the type of the token (RFC 8693 section 3).
    case gcloud(tokenType: String)
    case git(GitCredentialRequest)
}

extension TokenContract {
    /// The variable in which a Kubernetes client says what it expects.
    private static let kubernetes = "KUBERNETES_EXEC_INFO"
    private static let kubernetesVersions = ["v1", "v1beta1"].map {
        "client.authentication.k8s.io/\($0)"
    }
    /// The variable in which Google's libraries say what they expect.
    private static let google = "GOOGLE_EXTERNAL_ACCOUNT_TOKEN_TYPE"
    private static let googleTypes = ["jwt", "id_token"].map {
        "urn:ietf:params:oauth:token-type:\($0)"
    }

    /// Reads what the program that asks has said.
    ///
    /// - Parameters:
    ///   - form: The form.
    ///   - kind: The token that is asked for.
    ///   - variables: The environment.
    ///   - request: What git asks for, or `nil` if it is not git that asks.
    /// - Throws: `CommandFailure` if it expects what there is not.
    init(
        _ form: TokenForm,
        of kind: FreshToken.Kind,
        in variables: [String: String],
        for request: GitCredentialRequest? = nil
    ) throws(CommandFailure) {
        switch form {
        case .plain: self = .plain
        case .header: self = .header
        case .json: self = .json
        case .aws: self = .aws
        case .execCredential:
            self = .execCredential(apiVersion: try Self.version(variables[Self.kubernetes]))
        case .gcloud:
            let usual = Self.googleTypes[kind == .id ? 1 : 0]
            let type = variables[Self.google] ?? usual
            guard Self.googleTypes.contains(type) else {
                throw CommandFailure(
                    .badInput,
                    "\(Self.google): found \"\(type.inOneLine(limit: 80))\", expected "
                        + Self.googleTypes.joined(separator: " or ")
                )
            }
            self = .gcloud(tokenType: type)
        case .git:
            guard let request else {
                throw CommandFailure(
                    .badInput,
                    "--format git: expected get, store or erase, which git adds itself"
                )
            }
            self = .git(request)
        }
    }

    /// Returns the API version that a Kubernetes client expects; `v1` if it says nothing.
    private static func version(_ text: String?) throws(CommandFailure) -> String {
        guard let text else { return kubernetesVersions[0] }
        guard case .object(let members)? = JSONValue(parsing: Array(text.utf8)),
            let version = members["apiVersion"]?.stringValue
        else {
            throw CommandFailure(
                .badInput,
                "\(kubernetes): expected an ExecCredential in JSON with an apiVersion"
            )
        }
        guard kubernetesVersions.contains(version) else {
            throw CommandFailure(
                .badInput,
                "\(kubernetes): apiVersion: found \"\(version.inOneLine(limit: 80))\", expected "
                    + kubernetesVersions.joined(separator: " or ")
            )
        }
        return version
    }
}
