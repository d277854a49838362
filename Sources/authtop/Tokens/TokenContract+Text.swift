import Basics
import Profiles

extension TokenContract {
    /// Fails before anything is sent if the profile cannot have what the form needs.
    func check(_ dialect: Dialect, _ profile: String) throws(CommandFailure) {
        switch self {
        case .header:
            guard dialect.hasTokenHeader else { throw Self.noHeader(profile) }
        case .aws:
            let names = dialect.captureReferences.map(\.name)
            try Self.check(AWSCapture.allCases.filter { !names.contains($0.rawValue) }, profile)
        case .plain, .json, .execCredential, .gcloud, .git: break
        }
    }

    private static func noHeader(_ profile: String) -> CommandFailure {
        CommandFailure(
            .badInput,
            "--format header: \(profile) does not send its access token in a header"
        )
    }

    private static func check(
        _ missing: [AWSCapture],
        _ profile: String
    ) throws(CommandFailure) {
        guard !missing.isEmpty else { return }
        let names = missing.map(\.rawValue).joined(separator: ", ")
        throw CommandFailure(
            .badInput,
            "--format aws: no answer to \(profile) brings \(names): name their places in [capture] "
                + "of the profile, and log in again"
        )
    }

    /// Writes a token down.
    ///
    /// - Parameters:
    ///   - token: The token.
    ///   - profile: The name of its profile.
    /// - Returns: Lines.
    /// - Throws: `CommandFailure` if the token does not have what the form needs.
    func text(of token: FreshToken, _ profile: String) throws(CommandFailure) -> String {
        switch self {
        case .plain: return token.asked.secret.reveal()
        case .header:
            guard let header = token.header else { throw Self.noHeader(profile) }
            return "\(header.name): \(header.value)"
        case .json: return Self.json(token).serialized
        case .execCredential(let version): return Self.execCredential(token, version).serialized
        case .aws: return try Self.aws(token, profile).serialized
        case .gcloud(let type): return try Self.gcloud(token, type, profile).serialized
        case .git(let request): return try request.answer(token, profile)
        }
    }

    /// The names of OAuth 2.0 (RFC 6749 section 5.1), with the end in seconds since 1970.
    private static func json(_ token: FreshToken) -> JSONValue {
        var members: [String: JSONValue] = [
            "access_token": .string(token.access.secret.reveal())
        ]
        members["token_type"] = token.scheme.map(JSONValue.string)
        members["expires_at"] = token.access.endSeconds.map(JSONValue.integer)
        members["id_token"] = (token.id?.secret).map { .string($0.reveal()) }
        return .object(members)
    }

    private static func execCredential(_ token: FreshToken, _ version: String) -> JSONValue {
        var status: [String: JSONValue] = ["token": .string(token.asked.secret.reveal())]
        status["expirationTimestamp"] = token.asked.endText.map(JSONValue.string)
        return .object([
            "apiVersion": .string(version), "kind": "ExecCredential", "status": .object(status),
        ])
    }

    /// What the answers of the profile have brought, and nothing else.
    private static func aws(
        _ token: FreshToken,
        _ profile: String
    ) throws(CommandFailure) -> JSONValue {
        try check(AWSCapture.allCases.filter { token.captures[$0.rawValue] == nil }, profile)
        var members: [String: JSONValue] = ["Version": 1]
        for capture in AWSCapture.allCases {
            members[capture.member] = token.captures[capture.rawValue].map { .string($0.reveal()) }
        }
        // Without it, the keys would count as such that never end.
        guard let end = token.access.endText else {
            throw CommandFailure(
                .badInput,
                "--format aws: nothing says when the tokens of \(profile) end, and AWS takes keys "
                    + "without an end for such that never do"
            )
        }
        members["Expiration"] = .string(end)
        return .object(members)
    }

    private static func gcloud(
        _ token: FreshToken,
        _ type: String,
        _ profile: String
    ) throws(CommandFailure) -> JSONValue {
        guard JSONWebToken(reading: token.asked.secret) != nil else {
            throw CommandFailure(
                .badInput,
                token.kind == .id
                    ? "--format gcloud: the ID token of \(profile) is no JSON Web Token"
                    : "--format gcloud: the access token of \(profile) is no JSON Web Token, which "
                        + "Google exchanges: add --id-token if its logins bring an ID token"
            )
        }
        var members: [String: JSONValue] = [
            "version": 1, "success": true, "token_type": .string(type),
            "id_token": .string(token.asked.secret.reveal()),
        ]
        members["expiration_time"] = token.asked.endSeconds.map(JSONValue.integer)
        return .object(members)
    }

    /// The answer to Google's libraries in place of a token; the exit code is not 0 then.
    static func googleText(of failure: CommandFailure) -> String {
        JSONValue.object([
            "version": 1, "success": false, "code": .string("\(failure.exit.rawValue)"),
            "message": .string(failure.message),
        ]).serialized
    }
}

extension AWSCapture {
    /// The member of the answer of a `credential_process`.
    fileprivate var member: String {
        switch self {
        case .accessKeyID: "AccessKeyId"
        case .secretAccessKey: "SecretAccessKey"
        case .sessionToken: "SessionToken"
        }
    }
}
