import Basics
import FoundationEssentials
import Model

extension EventScript {
    /// Seven generations of 20 s, a 401, a feed that follows: the picture in the design.
    ///
    /// It ends at 14:02:11.300.
    static func ordinary() -> EventScript {
        var script = EventScript()
        script.capabilities()
        script.login = 1
        script.wait(until: 31)
        script.enter(.signedOut(.never))
        script.add(SignedOut(.user))
        script.enter(.signedOut(.user))
        script.wait(until: 44)
        script.logIn()
        script.add(SkewChanged(ServerOffset(low: -0.3, likelyHigh: 0.7, high: 1.9)))
        script.open()
        script.add(FeedPinged(socket: 1, roundTrip: .milliseconds(1)))
        for tick in 1...174 {
            let at = 44.3 + Double(tick) * 0.5
            script.tick(tick, at: at)
        }
        script.wait(until: 131.3)
        return script
    }

    private mutating func tick(_ tick: Int, at seconds: Double) {
        wait(until: seconds)
        message(type: tick % 7 == 0 ? "comment.created" : "post.created")
        if tick == 107 {
            request(status: 401, seconds: 0.003)
            let refused = requests
            renew(cause: .unauthorized, refreshLeft: 300 - (seconds - 44))
            request(retryOf: refused)
            switchSocket()
        } else if [26, 52, 78, 132, 158].contains(tick) {
            renew(refreshLeft: 300 - (seconds - 44))
            switchSocket()
        } else if tick % 10 == 0 {
            request(seconds: 0.004 + Double(tick % 3) / 1_000)
        }
    }
}
