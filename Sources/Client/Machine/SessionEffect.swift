package import Basics
package import Model
package import Profiles

/// The operations that the shell must perform; each operation's end comes back as an input with the
/// same identifier.
///
/// Indirect where it is large, because it is handed on many times.
package enum SessionEffect: Sendable {
    case loadRecord(OperationID)
    case lockFlight(OperationID)
    /// Gives the lock back that the operation of this identifier took or still waits for.
    case unlockFlight(OperationID)
    indirect case commit(OperationID, VaultCommit)
    /// Finds out whether a commit could be written now, without changing the record.
    case checkVault(OperationID)
    /// Lets the user log in with a browser, or requests a code for a login on any device.
    case authorize(OperationID)
    /// Stops the operation of this identifier, which reports no end then.
    case cancelAuthorization(OperationID)
    /// With what the browser brought, if the login needs one.
    indirect case sendLogin(OperationID, AuthorizationGrant?)
    case sendRefresh(OperationID, RefreshToken)
    /// `isRetry`: the same request was refused with an older token.
    indirect case sendProtected(OperationID, ProtectedCall, AccessToken, isRetry: Bool)
    /// Asks the server about a token.
    case ask(OperationID, TokenQuestion, Secret)
    indirect case sendRevocation(OperationID, PendingRevocation)
    case probe(OperationID)
    /// Resumes a caller.
    indirect case resume(waiter: Int, Result<TokenGrant, WaitFailure>)
    /// Reports the end of a protected request.
    indirect case finishRequest(id: Int, RequestEnd)
    /// Reports the result of an action to a caller.
    indirect case finish(caller: Int, ActionResult)
    case feed(FeedOperation)
    indirect case emit(SessionEvent)
}

/// A token that may be used now.
package struct TokenGrant: Sendable, Hashable {
    package var token: AccessToken
    var generation: Int
    /// When it may no longer be used, or `nil` if its expiry is unknown.
    package var usableUntil: Instant?
}

/// An order of the session to its feed.
package enum FeedOrder: Sendable, Hashable {
    /// There is a token to dial with.
    case token(generation: Int, usableUntil: Instant?)
    /// An answer has brought other values of those that requests send again.
    case valuesChanged
    /// The session has ended.
    case ended
}
