import Basics
import Model
import Profiles

/// The conversation on the sockets: what is said on them, and what follows from the answers.
extension FeedMachine {
    /// - Parameters:
    ///   - input: What has happened.
    ///   - number: The number of the socket; an unknown one is ignored.
    ///   - words: What the server has said.
    mutating func converse(_ input: FeedTalk.Input, on number: Int, words: String = "") {
        guard let socket = socket(number), !socket.isClosing else { return }
        var actions: [FeedTalk.Action] = []
        let now = now
        change(number) { actions = $0.talk.take(input, at: now) }
        for action in actions {
            switch action {
            case .say(let sayings):
                let generation = socket.generation
                perform(.say(socket: number, sayings, generation: generation))
            case .accept: accepted(number)
            case .refuse: giveUp(number, code: 1000, why: .refusedByMessage(words: words))
            case .giveUp(let name, let seconds):
                giveUp(number, code: 1001, why: .unanswered(expectation: name, seconds: seconds))
            }
        }
    }

    /// Closes a socket without waiting for its end.
    private mutating func giveUp(_ number: Int, code: Int, why: FeedCause) {
        // One that was replaced is closed anyway.
        guard let socket = socket(number), retired?.number != number else { return }
        emit(FeedFailed(socket: number, why: why))
        perform(.close(socket: number, code: code))
        ending.insert(number)
        ended(socket, .givenUp(why))
    }
}
