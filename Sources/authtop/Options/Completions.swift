import ArgumentParser
import Dashboard
import Dialects
import Vaults

/// What a shell proposes where a name is asked for.
extension CompletionKind {
    /// The built-in profiles and a person's own.
    static var profiles: CompletionKind {
        .custom { _, _, _ in
            // A name that cannot be shown as it is cannot be proposed either.
            LiveEnvironment().catalogue.entries.map(\.name).filter { $0.visibleInOneLine == $0 }
        }
    }

    static var dialects: CompletionKind { .list(Dialect.builtIn().map(\.name)) }

    static var vaults: CompletionKind { .list(VaultCatalogue.all.map(\.name)) }

    static var certificates: CompletionKind { .file(extensions: ["pem", "crt"]) }
}
