import Tokens

/// What a backend decided, written as this dialect writes it.
extension Dialect {
    package func answer(_ answer: BackendResponse) -> WireResponse {
        switch answer {
        case .loginIssued(let facts):
            answers.login.filled(ResponseValues(facts))
        case .loginRejected:
            answers.loginRejected.filled()
        case .refreshIssued(let facts):
            answers.refresh.filled(ResponseValues(facts))
        case .refreshRefused(let cause):
            (answers.refreshRefusedBy[cause] ?? answers.refreshRefused).filled()
        case .loggedOut(let scope):
            (answers.logouts[scope] ?? answers.logouts[.this] ?? ResponseTemplate(status: 204))
                .filled()
        case .logoutRefused:
            answers.logoutRefused.filled()
        case .protectedContent(let user):
            answers.protected.filled(ResponseValues(user))
        case .unauthorized(let cause):
            (answers.unauthorizedBy[cause] ?? answers.unauthorized).filled()
        case .sessions(let sessions):
            answers.sessions.filled(
                ResponseValues(sessions: sessions.map { answers.session.text(ResponseValues($0)) })
            )
        case .sessionEnded:
            ResponseTemplate(status: 204).filled()
        case .sessionUnknown:
            ResponseTemplate(status: 404).filled()
        case .malformed:
            answers.malformed.filled()
        }
    }
}
