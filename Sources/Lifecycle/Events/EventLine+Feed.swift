import Timekeeping
import Tokens

extension FlatJSON {
    mutating func describe(_ event: FeedEvent) {
        switch event {
        case .dialing(let socket, let generation, let target):
            set("socket", socket)
            set("usedGeneration", generation)
            set("url", target)
        case .opened(let socket, let generation, let after):
            set("socket", socket)
            set("usedGeneration", generation)
            set("ms", seconds: after.inSeconds * 1000)
        case .switched(let from, let to, let duplicates, let gap, let after):
            set("from", from)
            set("to", to)
            set("dups", duplicates)
            set("gap", gap)
            set("ms", seconds: after.inSeconds * 1000)
        case .closed(let socket, let code, let by, let reason):
            set("socket", socket)
            set("code", code)
            set("by", by.rawValue)
            set("reason", reason)
        case .refused(let socket, let status):
            set("socket", socket)
            set("status", status)
        case .failed(let socket, let message):
            set("socket", socket)
            set("words", message)
        case .message(let socket, let id, let seq, let type, _, let isDuplicate):
            set("socket", socket)
            set("id", id)
            set("seq", seq.map { JSONValue.integer($0) })
            set("type", type)
            if isDuplicate { set("duplicate", .bool(true)) }
        case .ping(let socket, let roundTrip):
            set("socket", socket)
            set("rtt", roundTrip)
        case .stateChanged(let state):
            set("to", state.name)
            describe(state)
        case .receivesAfterLogout(let socket):
            set("socket", socket)
        }
    }

    private mutating func describe(_ state: FeedState) {
        switch state {
        case .idle: break
        case .dialing(let socket, let generation), .open(let socket, let generation, _):
            set("socket", socket)
            set("usedGeneration", generation)
        case .rotating(let old, let new, let generation):
            set("old", old)
            set("socket", new)
            set("usedGeneration", generation)
        case .backoff(let attempt, let nextAt, let why):
            set("k", attempt)
            set("nextAt", nextAt)
            set("why", why)
        case .refused(let status, let nextAt):
            set("status", status)
            set("nextAt", nextAt)
        case .stopped(let why): set("why", why)
        }
    }
}

extension FeedState {
    package var name: String {
        switch self {
        case .idle: "idle"
        case .dialing: "dialing"
        case .open: "open"
        case .rotating: "rotating"
        case .backoff: "backoff"
        case .refused: "refused"
        case .stopped: "stopped"
        }
    }
}
