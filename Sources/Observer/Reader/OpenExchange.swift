import Basics
import Profiles

/// An exchange that is in progress.
struct OpenExchange: Sendable {
    /// As far as it has come.
    var request: WireRequest
    let connection: Int
    let peer: String
    let startedAt: Moment
    /// As far as it has come; `nil` before its head.
    var response: WireResponse?
    var corsAddedFor: String?
    /// The request as the dialect has it.
    var recognized: RecognizedRequest?
    var isRequested = false
    var isAnswered = false
    var messages = 0
    /// Whether it is a socket or a stream of a development server.
    var isOfDevelopmentServer = false

    init(_ head: WireRequest, connection: Int, peer: String, startedAt: Moment) {
        request = head
        request.body = []
        if !head.target.begins(with: "/") { request.target = "/" + head.target }
        self.connection = connection
        self.peer = peer
        self.startedAt = startedAt
    }

    /// The origin to which the request is forwarded.
    var origin: String { request.origin ?? "" }

    /// The bytes of bodies that it holds.
    var heldBytes: Int { request.body.count + (response?.body.count ?? 0) }

    /// Begins the final answer; there is one.
    mutating func begin(_ head: WireResponse, corsAddedFor: String?) {
        guard response == nil else { return }
        response = WireResponse(
            status: head.status,
            statusLine: head.statusLine ?? "HTTP/1.1 \(head.status)",
            headers: head.headers
        )
        self.corsAddedFor = corsAddedFor
    }
}
