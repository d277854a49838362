import Basics
import Foundation
import Profiles

/// The client's reading of an answer, in the words of the goldens.
struct Meaning {
    let sample: Sample

    func of(_ answer: LoginResponse) -> String {
        switch answer {
        case .issued(let tokens): issued(tokens)
        case .rejected(let status, let message): "rejected \(status)\(quoted(message))"
        case .authorizationPending(let slowsDown): slowsDown ? "slow down" : "pending"
        case .authorizationEnded(.expired): "code expired"
        case .authorizationEnded(.denied(let description)): "denied\(quoted(description))"
        case .failed(let failure): of(failure)
        }
    }

    func of(_ answer: RefreshResponse) -> String {
        switch answer {
        case .issued(let tokens): issued(tokens)
        case .refreshTokenOnly(let successor):
            "refresh token only \(successor.status)\(quoted(successor.message))"
        case .refused(let refusal):
            "\(refusal.isBare ? "bare refusal" : "refused") \(refusal.status)"
                + quoted(refusal.message)
                + (refusal.causes.isEmpty
                    ? "" : " as \(refusal.causes.map(\.rawValue).joined(separator: ", "))")
        case .failed(let failure): of(failure)
        }
    }

    func of(_ answer: LogoutResponse) -> String {
        switch answer {
        case .acknowledged: "acknowledged"
        case .tokenUnknown: "token unknown"
        case .failed(let status, _): "failed \(status)"
        }
    }

    func of(_ answer: ProtectedResponse) -> String {
        switch answer {
        case .accepted: "accepted"
        case .listed(let sessions): "accepted, with \(sessions.count) sessions"
        case .tokenRejected: "token rejected"
        case .inconclusive: "inconclusive"
        }
    }

    func of(_ failure: ResponseFailure) -> String {
        switch failure {
        case .transient(let status, let message, _): "transient \(status)\(quoted(message))"
        case .clientFault(let status, let message): "client fault \(status)\(quoted(message))"
        case .clientForgotten(let status, let message):
            "client forgotten \(status)\(quoted(message))"
        case .forbidden(let status, let message, _): "forbidden \(status)\(quoted(message))"
        case .undecodable(let status, let message): "undecodable \(status)\(quoted(message))"
        }
    }

    private func issued(_ tokens: IssuedTokens) -> String {
        var text = "issued \(name(of: tokens.access.secret))"
        if let refresh = tokens.refresh { text += " and \(name(of: refresh.secret))" }
        if !tokens.accessEvidence.isEmpty {
            text += "\n    access: \(list(tokens.accessEvidence))"
        }
        if !tokens.refreshEvidence.isEmpty {
            text += "\n    refresh: \(list(tokens.refreshEvidence))"
        }
        if let subject = tokens.statements.subject { text += "\n    subject \(subject)" }
        if let name = tokens.statements.displayName { text += ", shown as \(name)" }
        for detail in tokens.statements.account { text += "\n    \(detail.name): \(detail.value)" }
        return text
    }

    private func name(of secret: Secret) -> String {
        switch secret {
        case sample.access.secret: "{access}"
        case sample.refresh.secret: "{refresh}"
        default: "another token"
        }
    }

    private func list(_ evidence: [ExpiryEvidence]) -> String {
        evidence.map(of).joined(separator: ", ")
    }

    private func of(_ evidence: ExpiryEvidence) -> String {
        switch evidence {
        case .lifetime(let seconds): "lifetime \(Int(seconds)) s"
        case .webToken(let end, let start?): "JWT \(time(start)) to \(time(end))"
        case .webToken(let end, nil): "JWT until \(time(end))"
        case .cookieMaxAge(let seconds): "Max-Age \(Int(seconds)) s"
        case .cookieExpires(let date): "Expires \(time(date.timeIntervalSince1970))"
        case .instant(let date): "instant \(time(date.timeIntervalSince1970))"
        case .inferredZone(let date): "zone inferred \(time(date.timeIntervalSince1970))"
        case .assumedZone(let date): "zone assumed \(time(date.timeIntervalSince1970))"
        case .assumedUnit(let seconds): "unit assumed \(Int(seconds)) s"
        case .documented(let seconds): "documented \(Int(seconds)) s"
        case .unusable(let statement): "\(statement.place) unusable: \(statement.problem)"
        }
    }

    private func time(_ seconds: Double) -> String {
        Date(timeIntervalSince1970: seconds).formatted(.iso8601)
    }

    private func quoted(_ message: String?) -> String {
        message.map { " \"\($0)\"" } ?? ""
    }
}
