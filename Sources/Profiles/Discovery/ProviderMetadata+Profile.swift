import Basics

/// The profile of a server that describes itself.
extension ProviderMetadata {
    /// Writes a profile with what the document states, each line with its source.
    ///
    /// - Parameters:
    ///   - name: The name of the profile.
    ///   - address: The address of the document.
    ///   - clientID: The client's id, if the user has said it.
    ///   - redirectPort: The port of a browser's redirect, if the user has said it.
    ///   - certificate: The file of the client's certificate, if the user has said it.
    /// - Returns: The text of the file.
    /// - Throws: `ProviderMetadataError.notAURL` for an endpoint that is none.
    package func profile(
        named name: String,
        from address: String,
        clientID: String? = nil,
        redirectPort: Int? = nil,
        certificate: String? = nil
    ) throws(ProviderMetadataError) -> String {
        let given = ProviderSettings.Given(hasCertificate: certificate != nil)
        let settings = try ProviderSettings(of: self, given: given)
        var document = TOMLDocument()
        func add(_ settings: [ProviderSettings.Setting]) {
            for setting in settings {
                let path = setting.path.parts(at: ".").map(String.init)
                document.set(path, to: .string(setting.value), comment: setting.source)
            }
        }
        document.addComment("\(name): as \(address) states.")
        document.addComment("Check it with `authtop profiles validate \(name)`.")
        document.addBlank()
        document.set("extends", to: "oauth2")
        document.set("base_url", to: settings.base.value, comment: "of token_endpoint")
        if let certificate {
            document.set("client_certificate", to: certificate, comment: "--client-certificate")
        }
        document.addBlank()
        add([settings.grant, settings.client].compactMap(\.self))
        if settings.needsUser {
            if let clientID {
                document.set("client_id", to: clientID, comment: "--client-id")
            } else {
                document.addComment("client_id = \"…\"   # without it, one of the credentials")
            }
        }
        if !settings.absent.isEmpty {
            let lacking = Set(settings.absent.map(\.endpoint))
            let keys = Endpoint.allCases.filter(lacking.contains).map(\.rawValue)
            document.set(
                "disable",
                to: .list(settings.absent.map { .string($0.table) }),
                comment: "the document has no \(keys.joined(separator: ", "))"
            )
        }
        document.addBlank()
        add(settings.tokens)
        switch settings.grant?.value {
        case Self.codeGrant:
            add(settings.authorization)
            if let redirectPort {
                let path = ["login", "authorize", "redirect_port"]
                document.set(path, to: .integer(redirectPort), comment: "--redirect-port")
            }
        case Self.deviceGrant: add(settings.device)
        default: break
        }
        add(settings.idToken + settings.uses)
        return document.text
    }
}
