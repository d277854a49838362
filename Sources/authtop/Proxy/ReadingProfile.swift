import Basics
import Platform
import Profiles
import Proxy

extension ProxyRun {
    /// The profile by which the traffic is read.
    struct ReadingProfile {
        let dialect: Dialect
        /// The possible prefixes of its backend's paths at the proxy, the likeliest first.
        var basePaths = [""]
        /// The prefixes that the addresses of `--to` put before the paths of requests.
        var addedPaths: [String] = []
    }
}

extension ProxyRun.ReadingProfile {
    /// The profile as the proxy sees its requests: without what each address of `--to` adds to their
    /// paths.
    ///
    /// Another host than that of the profile may serve them with the path of its base URL, or without
    /// it.
    ///
    /// - Throws: `CommandFailure` if the base URL of the profile is none.
    init(_ profile: Profile, behind origins: [ProxiedOrigin]) throws {
        dialect = profile.dialect
        addedPaths = origins.map(\.origin.pathPrefix).filter { !$0.isEmpty }
        guard let base = try profile.checkedOrigin(), !base.pathPrefix.isEmpty else { return }
        let own = origins.map(\.origin).filter { $0.withoutPath == base.withoutPath }
        let paths = (own.isEmpty ? origins.map(\.origin) : own).compactMap { origin in
            base.path(behind: origin)
        }
        basePaths = own.isEmpty || paths.isEmpty ? paths + [""] : paths
    }
}

extension BackendOrigin {
    /// Returns what its path adds to that of another address, or `nil` if it is not below that.
    fileprivate func path(behind other: BackendOrigin) -> String? {
        guard pathPrefix.begins(with: other.pathPrefix) else { return nil }
        let rest = String(pathPrefix.dropFirst(other.pathPrefix.count))
        return rest.isEmpty || rest.begins(with: "/") ? rest : nil
    }
}
