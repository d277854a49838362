import Basics
import Model
import Observer

extension ScorecardCase {
    static let sockets = [
        ScorecardCase(.feedClose.at(.app).set(to: 1006), .dialsAgain) { script in
            script.logIn()
            script.cut(script.openSocket(1))
            script.wait(2)
            _ = script.openSocket(1)
            script.call(1)
        } faulty: { script in
            script.logIn()
            let socket = script.openSocket(1)
            script.cut(socket)
            script.wait(40)
            script.call(1)
            return [socket]
        },
        ScorecardCase(.feedClose.at(.app).set(to: 1006), .dialsWithNewest) { script in
            script.logIn()
            script.cut(script.openSocket(1))
            script.wait(1)
            script.renew(1)
            script.wait(1)
            _ = script.openSocket(2)
        } faulty: { script in
            script.logIn()
            script.cut(script.openSocket(1))
            script.wait(1)
            script.renew(1)
            script.wait(1)
            return [script.openSocket(1)]
        },
        ScorecardCase(.feedSilent.at(.app), .noticesSilence) { script in
            script.logIn()
            let socket = script.openSocket(1)
            script.inject(socket, "mute")
            script.wait(30)
            script.close(socket, by: .app, code: nil)
            _ = script.openSocket(1)
            script.call(1)
        } faulty: { script in
            script.logIn()
            let socket = script.openSocket(1)
            script.inject(socket, "mute")
            script.wait(70)
            script.call(1)
            return [socket]
        },
        ScorecardCase(.unauthorized.at(.app), .dialsWithNewer) { script in
            script.logIn()
            script.refuseDial(1)
            script.renew(1)
            _ = script.openSocket(2)
        } faulty: { script in
            script.logIn()
            let dial = script.refuseDial(1)
            script.renew(1)
            script.call(2)
            return [dial]
        },
        ScorecardCase(.refuseRefresh, .closesSockets) { script in
            script.logIn(life: 20)
            let socket = script.openSocket(1)
            script.refresh(1, by: "refuse-refresh", 400)
            script.wait(5)
            script.close(socket, by: .app, code: 1000)
        } faulty: { script in
            script.logIn(life: 20)
            let socket = script.openSocket(1)
            script.refresh(1, by: "refuse-refresh", 400)
            script.wait(40)
            return [socket]
        },
    ]
}

extension TrafficScript {
    mutating func openSocket(_ number: Int) -> Int {
        let socket = dial("/feed", bearer: Self.access(number))
        open(socket)
        return socket
    }

    mutating func cut(_ socket: Int) {
        wait(1)
        inject(socket, "cut:1006")
        close(socket, by: .proxy, code: nil)
    }

    @discardableResult
    mutating func refuseDial(_ number: Int) -> Int {
        let dial = dial("/feed", bearer: Self.access(number))
        inject(dial, "expire")
        finish(dial, 401, ["error": "invalid_token"])
        return dial
    }
}
