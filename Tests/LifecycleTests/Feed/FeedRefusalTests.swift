import Lifecycle
import Testing
import Timekeeping

@Suite("FeedMachine: refused tokens")
struct FeedRefusalTests {
    @Test(
        "an older token is refused: the newer one is dialled with at once",
        arguments: [401, 403]
    )
    func olderToken(status: Int) {
        let scene = FeedScene()
        scene.token(1)
        scene.token(2)
        scene.send(.refused(socket: 1, status: status, retryAfter: nil))
        #expect(scene.dials.map(\.generation) == [1, 2])
        #expect(scene.rejections.isEmpty)
    }

    @Test("the newest token is refused: one renewal is forced, and its token dialled with")
    func forcesRenewal() {
        let scene = FeedScene()
        scene.token(1)
        scene.send(.refused(socket: 1, status: 403, retryAfter: nil))
        #expect(scene.rejections == [1])
        #expect(scene.state.name == "backoff")
        scene.token(2)
        #expect(scene.dials.map(\.generation) == [1, 2])
    }

    @Test("refused again with the new token: refused, asked again after 30, 60, 120, 300, 300 s")
    func refused() {
        let scene = FeedScene()
        scene.token(1)
        scene.send(.refused(socket: 1, status: 403, retryAfter: nil))
        scene.token(2)
        var waits: [Double] = []
        for socket in 2...6 {
            scene.send(.refused(socket: socket, status: 403, retryAfter: nil))
            #expect(scene.state.name == "refused")
            waits.append(scene.waitsFor ?? 0)
            scene.advance(waits.last ?? 0)
        }
        #expect(waits == [30, 60, 120, 300, 300])
        #expect(scene.rejections == [1])
    }

    @Test("the session's rotations do not make a refused feed ask more often")
    func refusedAndRotations() {
        let scene = FeedScene()
        scene.token(1)
        scene.send(.refused(socket: 1, status: 403, retryAfter: nil))
        scene.token(2)
        scene.send(.refused(socket: 2, status: 403, retryAfter: nil))
        for generation in 3...6 {
            scene.advance(5)
            scene.token(generation)
        }
        #expect(scene.dials.count == 2)
        scene.advance(10)
        #expect(scene.dials.last?.generation == 6)
        #expect(scene.rejections == [1])
    }

    @Test("a renewal that does not come leaves the feed to try again by itself")
    func noRenewal() {
        let scene = FeedScene()
        scene.token(1)
        scene.send(.refused(socket: 1, status: 401, retryAfter: nil))
        scene.advance(30)
        #expect(scene.dials.count == 2)
        scene.send(.refused(socket: 2, status: 401, retryAfter: nil))
        #expect(scene.rejections == [1])
        #expect(scene.state.name == "refused")
    }

    @Test(
        "closed for the token's sake: as a refused upgrade",
        arguments: [1008, 3000, 3003, 4001, 4003, 4401, 4403]
    )
    func closed(code: Int) {
        let scene = FeedScene.open()
        scene.advance(10)
        scene.close(1, code: code)
        #expect(scene.rejections == [1])
        scene.token(2)
        #expect(scene.dials.map(\.generation) == [1, 2])
    }

    @Test("a server that accepts every token and closes at once forces one renewal, not one each")
    func acceptsThenCloses() {
        let scene = FeedScene()
        for generation in 1...20 {
            scene.token(generation)
            if let socket = scene.dials.last?.socket, socket == scene.dials.count {
                scene.send(.opened(socket: socket))
                scene.close(socket, code: 4401)
            }
            scene.advance(1)
        }
        #expect(scene.rejections == [1])
        #expect(scene.dials.count <= 3)
    }

    @Test("a token that was good for a while may be renewed for when it is refused later")
    func provedGood() {
        let scene = FeedScene()
        scene.token(1)
        scene.send(.refused(socket: 1, status: 403, retryAfter: nil))
        scene.token(2)
        scene.send(.opened(socket: 2))
        scene.advance(10)
        scene.close(2, code: 4401)
        #expect(scene.rejections == [1, 2])
    }

    @Test("a switch whose new socket is refused keeps the old one, and is tried again")
    func refusedSwitch() {
        let scene = FeedScene.open()
        scene.message(1, on: 1)
        scene.advance(10)
        scene.token(2)
        scene.send(.refused(socket: 2, status: 403, retryAfter: nil))
        #expect(scene.state.name == "open")
        #expect(scene.rejections == [2])
        scene.token(3)
        #expect(scene.dials.map(\.generation) == [1, 2, 3])
        scene.send(.refused(socket: 3, status: 403, retryAfter: nil))
        #expect(scene.rejections == [2])
        scene.message(2, on: 1)
        scene.advance(15)
        scene.message(3, on: 1)
        scene.advance(15)
        #expect(scene.dials.count == 4)
        #expect(scene.applied == ["1", "2", "3"])
    }
}
