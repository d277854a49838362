import Basics

/// Names one session among those that a run watches; the same in every run of the same profile on
/// the same backend.
///
/// One session is what one vault record holds over time: a login that takes the place of another
/// does not change the id.
package struct SessionID: Sendable, Hashable, Codable, Comparable, CustomStringConvertible {
    package let description: String

    package init(_ name: String) {
        description = name
    }

    package static func < (left: SessionID, right: SessionID) -> Bool {
        left.description < right.description
    }

    /// Names each of several profiles: by its name, with where its backend is if another one has
    /// the same name.
    ///
    /// - Parameter profiles: By name and base URL, no two of them equal.
    /// - Returns: An id for each, in their order.
    package static func ids(of profiles: [(name: String, baseURL: String)]) -> [SessionID] {
        let namesakes = Dictionary(grouping: profiles, by: \.name)
        return profiles.map { profile in
            guard let others = namesakes[profile.name], others.count > 1 else {
                return SessionID(profile.name)
            }
            let host = authority(of: profile.baseURL)
            let isUnique = others.count { authority(of: $0.baseURL) == host } == 1
            return SessionID("\(profile.name)@\(isUnique ? host : profile.baseURL)")
        }
    }

    /// `127.0.0.1:8787` of `http://127.0.0.1:8787/path`.
    private static func authority(of url: String) -> String {
        let rest = url.range(ofBytes: "://").map { url[$0.upperBound...] } ?? url[...]
        return String(rest.prefix { $0 != "/" })
    }
}
