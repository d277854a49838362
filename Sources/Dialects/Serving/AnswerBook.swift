/// Everything the sandbox can say in a dialect.
struct AnswerBook: Sendable, Hashable {
    var login: AnswerTemplate
    var loginRejected: AnswerTemplate
    var refresh: AnswerTemplate
    var refreshRefused: AnswerTemplate
    /// The causes that are answered otherwise.
    var refreshRefusedBy: [RefreshRefusalCause: AnswerTemplate] = [:]
    var logouts: [LogoutScope: AnswerTemplate] = [:]
    var logoutRefused: AnswerTemplate
    var protected: AnswerTemplate
    var unauthorized: AnswerTemplate
    /// The causes that are answered otherwise.
    var unauthorizedBy: [UnauthorizedCause: AnswerTemplate] = [:]
    var sessions: AnswerTemplate
    /// One session in the list.
    var session: AnswerTemplate
    var malformed: AnswerTemplate
}
