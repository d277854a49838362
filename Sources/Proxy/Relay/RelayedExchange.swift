import NIOCore
import Observer
import Profiles

/// A request that the proxy relays, and the state of its answer.
final class RelayedExchange {
    enum RequestState {
        /// The body is left with the app until there is a token to send the request with.
        case waiting
        /// The body is held until it is decided what to do with the request.
        case held(ByteBuffer)
        /// The body is sent on as it comes.
        case relayed
        /// The proxy answers; the body is read and dropped.
        case dropped
        case complete
    }

    enum Answer {
        /// No final answer has begun; interim ones may have been relayed.
        case awaited(HeadScanner, hasInterim: Bool)
        /// It is not read before its time; `end`: how the backend ended the connection meanwhile.
        case delayed(end: UpstreamChannel.End?)
        /// Its body is not relayed before it has told whether it refuses the token.
        case examined(ExaminedAnswer)
        case body(BodyScanner, BodyUse)
        case complete
        /// The backend has given it all, and the app waits for it although it was lost on purpose.
        case lost
    }

    /// The part of an answer's body that the app gets.
    enum BodyUse {
        case relayed
        /// Nothing: its answer has none.
        case dropped
        /// Another body, once it is complete.
        case held(HeldAnswer)
        /// No answer at all.
        case lost
    }

    let number: Int
    /// As the app sent it.
    let request: RequestMessage
    let asksForSocket: Bool
    /// The body that came before the request was sent on.
    var heldBody = ByteBuffer()
    /// The token that it is sent with, where a session is served.
    var served: ServedRequest?
    /// The change of the answer, and its experiment.
    var change: (experiment: String, AnswerChange)?
    /// Whether it is the first on its connection to the backend.
    var isFirst = false
    var requestState = RequestState.relayed
    var requestBody: BodyScanner
    var requestTap: BodyTap
    var answer = Answer.awaited(HeadScanner(), hasInterim: false)
    var answerTap = BodyTap([])
    /// Whether the answer says that the connection ends with it, and has an end of its own.
    var isLast = false
    /// The length that the head of an answer on a stream states, in bytes.
    var statedLength: Int?
    /// Whether the app ended its connection before the answer was whole.
    var isGivenUp = false

    init(number: Int, request: RequestMessage, framing: BodyFraming) {
        self.number = number
        self.request = request
        asksForSocket = request.asksForSocket && framing == .none
        requestBody = BodyScanner(framing)
        requestTap = BodyTap(request.fields)
    }

    var isRequestComplete: Bool {
        if case .complete = requestState { true } else { false }
    }

    var isRequestHeld: Bool {
        if case .held = requestState { true } else { false }
    }

    var isWaiting: Bool {
        if case .waiting = requestState { true } else { false }
    }

    /// Whether nothing more comes from the backend.
    var isAnswerComplete: Bool {
        switch answer {
        case .complete, .lost: true
        case .awaited, .delayed, .examined, .body: false
        }
    }

    /// Whether the final answer has begun to go to the app.
    var isAnswerBegun: Bool {
        switch answer {
        case .body(_, .relayed), .body(_, .dropped), .complete: true
        case .awaited, .delayed, .examined, .body(_, .held), .body(_, .lost), .lost: false
        }
    }

    var isLost: Bool {
        if case .lost = answer { true } else { false }
    }

    var isDelayed: Bool {
        if case .delayed = answer { true } else { false }
    }

    /// Whether the end of the connection is the end of the answer.
    var endsWithConnection: Bool {
        if case .body(let scanner, _) = answer { scanner.endsWithConnection } else { false }
    }

    /// Whether an answer on a stream has gone to the app but for the end of the stream.
    var isAllButEnded: Bool {
        guard case .body(let scanner, .relayed) = answer else { return false }
        return scanner.bytes == statedLength
    }

    /// Whether no byte of an answer has come.
    var isUntouched: Bool {
        switch answer {
        case .awaited(let scanner, let hasInterim): !scanner.hasBegun && !hasInterim
        case .delayed: true
        case .examined, .body, .complete, .lost: false
        }
    }
}

/// An answer that is held until it is complete, and then rewritten.
final class HeldAnswer {
    /// The head as the app gets it, but for the length.
    let head: ResponseMessage
    /// Whether an experiment rewrites it; otherwise it is metadata of a provider.
    let isForExperiment: Bool
    var body: [UInt8] = []
    /// The bytes as they came, for a body that is not rewritten after all.
    var raw = ByteBuffer()

    init(head: ResponseMessage, isForExperiment: Bool) {
        self.head = head
        self.isForExperiment = isForExperiment
    }
}
