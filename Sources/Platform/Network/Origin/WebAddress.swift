import Basics

/// The origin of a URL, and what is asked for there.
package struct WebAddress: Sendable, Hashable {
    package let origin: BackendOrigin
    /// The path and the query, which may not be valid.
    package let target: String

    /// Parses a URL: https, or http to this machine.
    ///
    /// - Throws: `BackendOriginError`, whose message has no part of the path or the query.
    package init(parsing url: String) throws(BackendOriginError) {
        let start = url.range(ofBytes: "://")?.upperBound ?? url.startIndex
        let slash = url[start...].unicodeScalars.firstIndex(of: "/") ?? url.endIndex
        origin = try BackendOrigin(parsing: String(url[..<slash]))
        target = slash == url.endIndex ? "/" : String(url[slash...])
    }
}
