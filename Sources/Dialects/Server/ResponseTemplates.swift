/// Everything the sandbox can say in a dialect.
struct ResponseTemplates: Sendable, Hashable {
    var login: ResponseTemplate
    var loginRejected: ResponseTemplate
    var refresh: ResponseTemplate
    var refreshRefused: ResponseTemplate
    /// The causes that are answered otherwise.
    var refreshRefusedBy: [RefreshRefusalCause: ResponseTemplate] = [:]
    var logouts: [LogoutScope: ResponseTemplate] = [:]
    var logoutRefused: ResponseTemplate
    var protected: ResponseTemplate
    var unauthorized: ResponseTemplate
    /// The causes that are answered otherwise.
    var unauthorizedBy: [UnauthorizedCause: ResponseTemplate] = [:]
    var sessions: ResponseTemplate
    /// One session in the list.
    var session: ResponseTemplate
    var malformed: ResponseTemplate
}
