/// How far an exchange has come.
enum ExchangeStage: Sendable, Equatable {
    /// No byte of the request has left.
    case connecting
    /// The request's head has left.
    case waiting
    /// The answer's head is here.
    case answering
}
