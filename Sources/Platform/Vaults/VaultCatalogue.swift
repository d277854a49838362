package import Basics
package import Client
package import Model

/// A kind of vault that the user can choose by name.
package struct VaultKind: Sendable {
    package let name: String
    /// A one-line summary for the help.
    package let summary: String
    private let make: @Sendable (VaultLocation, VaultEnvironment) throws(VaultProblem) -> any Vault

    init(
        name: String,
        summary: String,
        make:
            @escaping @Sendable (VaultLocation, VaultEnvironment) throws(VaultProblem) -> any Vault
    ) {
        self.name = name
        self.summary = summary
        self.make = make
    }

    /// Returns a vault of this kind for a record.
    package func vault(
        for location: VaultLocation,
        in environment: VaultEnvironment
    ) throws(VaultProblem) -> any Vault {
        try make(location, environment)
    }
}

/// Every kind of vault; a new kind takes a file and a line here.
package enum VaultCatalogue {
    package static let all: [VaultKind] = [.memory, .file]

    /// The names for the help, with `helper:NAME` for any credential helper.
    package static var names: String {
        (all.map(\.name) + ["\(VaultKind.helperPrefix)NAME"]).joined(separator: ", ")
    }

    /// Returns the kind of this name, or `nil` if there is none.
    package static func kind(named name: String) -> VaultKind? {
        all.first { $0.name == name } ?? .helper(named: name)
    }
}

extension VaultKind {
    package static let memory = VaultKind(
        name: "memory",
        summary: "gone when you quit, for watch, demo and serve"
    ) { _, _ in MemoryVault() }

    package static let file = VaultKind(
        name: "file",
        summary: "an encrypted file under $XDG_STATE_HOME/authtop"
    ) { location, environment in
        SealedVault.file(
            location: location,
            keys: keySources(location, environment),
            time: environment.time
        )
    }

    fileprivate static let helperPrefix = "helper:"

    /// Returns a credential helper; `nil` unless the name is that of a program and not a path.
    fileprivate static func helper(named name: String) -> VaultKind? {
        let program = name.dropFirst(helperPrefix.count)
        guard name.begins(with: helperPrefix), (1...64).contains(program.utf8.count),
            program.utf8.allSatisfy({ $0 > 32 && $0 < 127 && $0 != UInt8(ascii: "/") })
        else { return nil }
        return VaultKind(
            name: name,
            summary: "the credential helper docker-credential-\(program)"
        ) { (location, environment) throws(VaultProblem) in
            let program = "docker-credential-\(program)"
            guard let tool = Tool(program, variables: environment.variables, time: environment.time)
            else {
                throw VaultProblem(message: "\(program) is not on the PATH: install it")
            }
            return SealedVault(
                location: location,
                store: HelperStore(tool: tool, location: location),
                keys: keySources(location, environment),
                time: environment.time
            )
        }
    }

    /// Returns the sources of keys, the preferred one first: the Secret Service if one responds.
    private static func keySources(
        _ location: VaultLocation,
        _ environment: VaultEnvironment
    ) -> [any VaultKeySource] {
        let file = KeyFile(folder: location.folder)
        let service = SecretServiceKey(
            tool: Tool("secret-tool", variables: environment.variables, time: environment.time),
            folder: location.folder,
            time: environment.time
        )
        let hasBus =
            environment.variables["DBUS_SESSION_BUS_ADDRESS"] != nil
            || environment.variables["XDG_RUNTIME_DIR"] != nil
        return hasBus && service.isReachable ? [service, file] : [file, service]
    }
}

/// The environment of a vault.
package struct VaultEnvironment: Sendable {
    var time: any Timekeeper
    /// The environment variables, with the folders of programs and the addresses of services.
    var variables: [String: String]

    package init(time: any Timekeeper, variables: [String: String]) {
        self.time = time
        self.variables = variables
    }
}
