import Backend
import Basics
import Client
import Model
import Profiles

/// One request of one process, from the moment it was handed to the network until its end.
final class PendingExchange {
    enum Purpose {
        case login
        case refresh(RefreshToken)
        case protected(AccessToken)
        case revocation(PendingRevocation)
    }

    let process: Int
    let incarnation: Int
    let operation: OperationID
    let purpose: Purpose
    let sentAt: Moment
    /// What goes wrong with it on the way.
    var faults: [Fault] = []
    /// Whether no response ever arrives, so that the client times out; otherwise the connection is
    /// closed.
    var isSilent = false
    var exchange: BackendExchange?
    /// No byte of it left.
    var isUnsent = false
    /// Whether the server responds after the client has timed out.
    var isLate = false
    var serverDate: Double?

    init(
        process: Int,
        incarnation: Int,
        operation: OperationID,
        purpose: Purpose,
        sentAt: Moment
    ) {
        self.process = process
        self.incarnation = incarnation
        self.operation = operation
        self.purpose = purpose
        self.sentAt = sentAt
    }

    /// In whose words the answer comes: a protected answer is the same in all of them.
    func speaks(_ dialect: Dialect?) -> Dialect? {
        if case .protected = purpose { return nil }
        return dialect
    }
}
