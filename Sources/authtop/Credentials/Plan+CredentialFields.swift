import Dashboard
import Dialects
import Tokens

extension WatchedSession.Plan {
    /// What the dashboard's form asks for, and what of it is at hand.
    var credentialFields: [CredentialField] {
        dialect.credentials.map { spec in
            let isKnown = credentials.values[spec.name]?.isEmpty == false
            return CredentialField(
                name: spec.name,
                isSecret: spec.isSecret,
                origin: isKnown ? credentialOrigins[spec.name] ?? "the sandbox's own" : nil
            )
        }
    }
}
