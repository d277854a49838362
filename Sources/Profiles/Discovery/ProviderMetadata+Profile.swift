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
    /// - Returns: The text of the file.
    /// - Throws: `ProviderMetadataError.notAURL` for an endpoint that is none.
    package func profile(
        named name: String,
        from address: String,
        clientID: String? = nil,
        redirectPort: Int? = nil
    ) throws(ProviderMetadataError) -> String {
        let settings = try ProviderSettings(of: self)
        var lines = [
            "# \(name): as \(Self.comment(address)) states.",
            "# Check it with `authtop profiles validate \(name)`.",
            "",
            "extends = \"oauth2\"",
            "base_url = \(TOMLText.quoted(settings.base.value))   # of token_endpoint",
            "",
        ]
        lines += [settings.grant, settings.client].compactMap(\.self).map(Self.line)
        if settings.needsUser {
            let id = clientID.map { "client_id = \(TOMLText.quoted($0))   # --client-id" }
            lines.append(id ?? "# client_id = \"…\"   # without it, one of the credentials")
        }
        if !settings.absent.isEmpty {
            let names = settings.absent.map { "\"\($0.table)\"" }.joined(separator: ", ")
            let lacking = Set(settings.absent.map(\.endpoint))
            let keys = Endpoint.allCases.filter(lacking.contains).map(\.rawValue)
                .joined(separator: ", ")
            lines.append("disable = [\(names)]   # the document has no \(keys)")
        }
        lines.append("")
        lines += settings.tokens.map(Self.line)
        switch settings.grant?.value {
        case Self.codeGrant:
            lines += settings.authorization.map(Self.line)
            let port = redirectPort.map { "login.authorize.redirect_port = \($0)" }
            lines += port.map { ["\($0)   # --redirect-port"] } ?? []
        case Self.deviceGrant: lines += settings.device.map(Self.line)
        default: break
        }
        lines += (settings.idToken + settings.uses).map(Self.line)
        return lines.joined(separator: "\n") + "\n"
    }

    private static func line(_ setting: ProviderSettings.Setting) -> String {
        "\(setting.path) = \(TOMLText.quoted(setting.value))   # \(setting.source)"
    }

    private static func comment(_ text: String) -> String {
        String(String.UnicodeScalarView(text.unicodeScalars.filter { !$0.isUnseen }))
    }
}
