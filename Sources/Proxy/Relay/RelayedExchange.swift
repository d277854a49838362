import NIOCore
import Observer
import Profiles

/// A request that the proxy relays, and the state of its answer.
final class RelayedExchange {
    enum Answer {
        /// No final answer has begun; interim ones may have come.
        case awaited(HeadScanner)
        case body(BodyScanner)
        case complete
    }

    /// Metadata of a provider so far, which are rewritten when they are complete.
    struct Metadata {
        /// The head as the app gets it, but for the length.
        let head: ResponseMessage
        var body: [UInt8] = []
        /// The bytes as they came, for a body that is not rewritten after all.
        var raw = ByteBuffer()
        /// Whether an experiment rewrites it.
        var isForExperiment = false
    }

    let number: Int
    /// As the app sent it.
    let request: RequestMessage
    let asksForSocket: Bool
    /// Whether the proxy answers it.
    var isInjected = false
    /// What has come of a request that is held until it is decided what becomes of it, or `nil` if
    /// that is decided.
    var undecided: ByteBuffer?
    /// What has come of the body before the request was sent on.
    var heldBody = ByteBuffer()
    /// What becomes of the answer, and for which experiment.
    var change: (experiment: String, AnswerChange)?
    /// Whether the answer is held until its time has come.
    var isDelayed = false
    /// How the backend ended the connection while the answer was held.
    var endWhileDelayed: UpstreamChannel.End?
    /// Whether the app waits in vain for an answer that was lost on purpose.
    var isLost = false
    /// Whether it is the first on its connection to the backend.
    var isFirst = false
    var requestBody: BodyScanner
    var requestTap: BodyTap
    /// Whether the request's end has been relayed.
    var isRequestComplete = false
    var answer = Answer.awaited(HeadScanner())
    var answerTap = BodyTap([])
    /// What is held of the answer, or `nil` if it is relayed as it comes.
    var metadata: Metadata?
    /// Whether the body of the answer is not relayed, since the app gets an answer without one.
    var dropsAnswerBody = false
    /// Whether anything of an answer has been relayed, an interim one included.
    var isAnswered = false
    /// Whether the final answer has begun to go to the app.
    var isAnswerBegun = false
    /// Whether the app ended its connection before the answer was whole.
    var isGivenUp = false

    init(number: Int, request: RequestMessage, framing: BodyFraming) {
        self.number = number
        self.request = request
        asksForSocket = request.asksForSocket && framing == .none
        requestBody = BodyScanner(framing)
        requestTap = BodyTap(request.fields)
    }

    var isAnswerComplete: Bool {
        if case .complete = answer { return true }
        return false
    }

    /// Whether the end of the connection is the end of the answer.
    var endsWithConnection: Bool {
        guard case .body(let scanner) = answer else { return false }
        return scanner.endsWithConnection
    }

    /// Whether no byte of an answer has come.
    var isUntouched: Bool {
        guard case .awaited(let scanner) = answer else { return false }
        return !scanner.hasBegun && !isAnswered
    }
}
