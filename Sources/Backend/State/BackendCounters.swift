/// What a policy has seen so far.
package struct BackendCounters: Sendable, Hashable, Codable {
    package var logins = 0
    package var loginsRejected = 0
    package var refreshes = 0
    /// By `RefreshRefusalCause`.
    package var refreshesRefused: [String: Int] = [:]
    /// Uses of a spent refresh token, whatever the policy made of them.
    package var reuses = 0
    package var logouts = 0
    package var protected = 0
    /// By `UnauthorizedCause`.
    package var unauthorized: [String: Int] = [:]
    package var feedsOpened = 0
    /// By `UnauthorizedCause`.
    package var feedsRefused: [String: Int] = [:]

    package init() {}
}
