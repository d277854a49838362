import Tokens

/// What a backend decided, written as this dialect writes it.
extension Dialect {
    package func answer(_ answer: BackendAnswer) -> WireResponse {
        switch answer {
        case .loginIssued(let facts):
            answers.login.filled(AnswerValues(facts))
        case .loginRejected:
            answers.loginRejected.filled()
        case .refreshIssued(let facts):
            answers.refresh.filled(AnswerValues(facts))
        case .refreshRefused(let cause):
            (answers.refreshRefusedBy[cause] ?? answers.refreshRefused).filled()
        case .loggedOut(let scope):
            (answers.logouts[scope] ?? answers.logouts[.this] ?? AnswerTemplate(status: 204))
                .filled()
        case .logoutRefused:
            answers.logoutRefused.filled()
        case .protectedContent(let user):
            answers.protected.filled(AnswerValues(user))
        case .unauthorized(let cause):
            (answers.unauthorizedBy[cause] ?? answers.unauthorized).filled()
        case .sessions(let sessions):
            answers.sessions.filled(
                AnswerValues(sessions: sessions.map { answers.session.text(AnswerValues($0)) })
            )
        case .sessionEnded:
            AnswerTemplate(status: 204).filled()
        case .sessionUnknown:
            AnswerTemplate(status: 404).filled()
        case .malformed:
            answers.malformed.filled()
        }
    }
}
