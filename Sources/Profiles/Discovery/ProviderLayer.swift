import Basics

/// The contribution of a server's metadata to a profile: a layer below the file that names the
/// issuer, and above the files that it extends.
struct ProviderLayer {
    let item: TOMLItem
    /// The inherited tables that nothing in the metadata corresponds to, with the reasons.
    let absent: [(table: String, reason: String)]
    /// The sources of the values, by their dotted paths.
    let notes: [String: String]

    /// - Parameters:
    ///   - provider: The metadata.
    ///   - said: The file that names the issuer, merged with those that extend it.
    ///   - base: The profile that that file extends.
    /// - Throws: `DialectError` for an endpoint that is no URL.
    init(
        _ provider: ProviderDescription,
        under said: TOMLItem,
        over base: TOMLItem
    ) throws(DialectError) {
        let whole = said.laid(over: base)
        let grants = whole.member("grants")
        let settings: ProviderSettings
        do throws(ProviderMetadataError) {
            settings = try ProviderSettings(
                of: provider.metadata,
                given: ProviderSettings.Given(
                    baseURL: said.text(at: "base_url"),
                    grant: said.text(at: "grant"),
                    grants: Set(grants?.paths ?? []),
                    hasSecret: said.item(at: "credentials.client_secret_command") != nil,
                    hasKey: said.item(at: "client_assertion.key") != nil,
                    hasCertificate: whole.item(at: "client_certificate") != nil
                )
            )
        } catch {
            let key: String? = if case .notAURL(let key) = error { key } else { nil }
            throw DialectError(file: provider.address, key: key, found: "not a URL")
        }
        // Of one grant only, since it has no meaning for the others.
        func within(
            _ grant: String,
            _ settings: [ProviderSettings.Setting]
        ) -> [ProviderSettings.Setting] {
            let prefix = grants?.member(grant) == nil ? "" : "grants.\(grant)."
            return settings.map {
                ProviderSettings.Setting(
                    path: prefix + $0.path,
                    value: $0.value,
                    source: $0.source,
                    base: $0.base.map { prefix + $0 }
                )
            }
        }
        var filled = [settings.base, settings.grant, settings.client].compactMap(\.self)
        filled += settings.tokens + settings.idToken + settings.uses
        filled += within(ProviderMetadata.codeGrant, settings.authorization)
        filled += within(ProviderMetadata.deviceGrant, settings.device)
        var item = TOMLItem(
            file: provider.address,
            line: 1,
            key: "",
            parent: "",
            value: .table([:])
        )
        var notes: [String: String] = [:]
        for (index, setting) in filled.enumerated()
        where setting.table.map({ whole.item(at: $0) != nil }) ?? true {
            let keys = setting.path.parts(at: ".").map(String.init)
            item = item.adding(setting.value, at: keys[...], line: index + 1)
            notes[setting.path] = setting.source
        }
        self.item = item
        self.notes = notes
        absent = settings.absent.filter { said.item(at: $0.table) == nil }
            .map { ($0.table, "the metadata has no \($0.endpoint.rawValue)") }
    }
}

extension TOMLItem {
    /// Returns the value at a dotted path.
    fileprivate func item(at path: String) -> TOMLItem? {
        path.parts(at: ".").reduce(self as TOMLItem?) { $0?.member($1) }
    }

    fileprivate func text(at path: String) -> String? {
        guard case .string(let text)? = item(at: path)?.value else { return nil }
        return text
    }

    /// Returns the table with a text at a path, in the same file.
    fileprivate func adding(_ text: String, at keys: ArraySlice<String>, line: Int) -> TOMLItem {
        guard case .table(var members) = value, let key = keys.first else { return self }
        let parent = path
        func placed(_ value: Value) -> TOMLItem {
            TOMLItem(file: file, line: line, key: key, parent: parent, value: value)
        }
        if keys.count == 1 {
            members[key] = placed(.string(text))
        } else {
            members[key] = (members[key] ?? placed(.table([:])))
                .adding(text, at: keys.dropFirst(), line: line)
        }
        return with(members)
    }
}
