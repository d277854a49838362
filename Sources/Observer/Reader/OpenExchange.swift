import Basics
import Profiles

/// An exchange that is under way.
struct OpenExchange: Sendable {
    let head: RequestHead
    let startedAt: Moment
    var requestBody: [UInt8] = []
    var answer: ResponseHead?
    var responseBody: [UInt8] = []
    /// The request as the dialect has it.
    var recognized: RecognizedRequest?
    var isRequested = false
    var isAnswered = false
    var messages = 0

    var request: WireRequest {
        WireRequest(
            method: head.method,
            target: head.target.begins(with: "/") ? head.target : "/" + head.target,
            headers: head.headers,
            body: requestBody
        )
    }
}
