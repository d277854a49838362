package import Backend
package import Basics
package import Client
package import Model
import Profiles

/// One request of one process, from the moment it was handed to the network until its end.
package final class PendingExchange {
    package enum Purpose {
        case login
        case refresh(RefreshToken)
        case protected(AccessToken)
        case revocation(PendingRevocation)
    }

    package let process: Int
    let incarnation: Int
    package let operation: OperationID
    package let purpose: Purpose
    package let sentAt: Moment
    /// The faults that happen to it on the way.
    var faults: [Fault] = []
    /// Whether no response ever arrives, so that the client times out; otherwise the connection is
    /// closed.
    var isSilent = false
    package var exchange: BackendExchange?
    /// No byte of it left.
    package var isUnsent = false
    /// Whether the server responds after the client has timed out.
    package var isLate = false
    package var serverDate: Double?

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

    /// The tokens in an answer whose status is that of an error.
    var factsBesideError: IssuedFacts? {
        guard faults.contains(where: { $0.effect == .spoilStatus }),
            case .refreshIssued(let facts)? = exchange?.answer
        else { return nil }
        return facts
    }

    /// In whose words the answer comes: a protected answer is the same in all of them.
    func speaks(_ dialect: Dialect?) -> Dialect? {
        if case .protected = purpose { return nil }
        return dialect
    }
}
