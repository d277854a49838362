import Dialects
import Lifecycle
import Testing
import Timekeeping
import Tokens

@Suite("ClientMachine: several logins, and logins that cannot be kept")
struct SessionLoginLockTests {
    private static func signedOut() -> Scene {
        let scene = Scene(traits: .testing(logInAtStart: false))
        scene.send(.start)
        scene.settle()
        return scene
    }

    @Test("the credentials are sent under the flight lock, which is given back once it is stored")
    func locked() {
        let scene = Self.signedOut()
        scene.send(.logIn)
        scene.settle()
        #expect(scene.logins == 1)
        #expect(scene.vault.holder != nil)
        scene.advance(0.3)
        #expect(scene.state == .fresh)
        #expect(scene.vault.holder == nil)
    }

    @Test("a login that is refused gives the lock back as well")
    func refused() {
        let scene = Self.signedOut()
        scene.backend.loginFaults = [.refused]
        scene.send(.logIn)
        scene.advance(0.3)
        #expect(scene.state == .signedOut(.never))
        #expect(scene.vault.holder == nil)
    }

    @Test("of two that begin together one logs in, and the other goes on with its session")
    func together() throws {
        let scene = Self.signedOut()
        scene.vault.lockHeldElsewhere = 2
        scene.send(.logIn)
        let first = Scene.signedIn()
        scene.backend = first.backend
        scene.vault.record = first.vault.record
        scene.advance(3)
        #expect(scene.logins == 0)
        #expect(scene.state == .fresh)
        #expect(scene.machine.held?.tokens == first.machine.held?.tokens)
        #expect(scene.origins == [.adopted])
        #expect(scene.backend.families.count == 1)
        #expect(scene.vault.holder == nil)
    }

    @Test("a session that was logged out meanwhile is none to go on with")
    func loggedOutMeanwhile() {
        let scene = Self.signedOut()
        scene.vault.lockHeldElsewhere = 2
        scene.send(.logIn)
        let first = Scene.signedIn()
        first.siblingLogsOut()
        scene.vault.record = first.vault.record
        scene.advance(3)
        #expect(scene.logins == 1)
        #expect(scene.state == .fresh)
        #expect(scene.vault.record?.epoch == (first.vault.record?.epoch ?? 0) + 1)
    }

    @Test("what another process keeps locked for too long fails, and nothing is sent")
    func outwaited() {
        let scene = Self.signedOut()
        scene.vault.lockHeldElsewhere = 60
        scene.send(.logIn)
        scene.advance(30)
        #expect(scene.logins == 0)
        #expect(scene.state == .signedOut(.never))
        #expect(scene.loginFailures.map(\.kind) == [.transient])
    }

    @Test("no credentials are sent where what they bring could not be stored")
    func unwritable() {
        let scene = Self.signedOut()
        scene.vault.writeProblem = VaultProblem(words: "read-only file system")
        scene.send(.logIn)
        scene.advance(1)
        #expect(scene.logins == 0)
        #expect(scene.state == .signedOut(.never))
        #expect(scene.loginFailures.first?.words.contains("read-only file system") == true)
        #expect(scene.vault.holder == nil)
        scene.vault.writeProblem = nil
        scene.send(.logIn)
        scene.advance(1)
        #expect(scene.state == .fresh)
    }

    @Test("no credentials are sent where the lock cannot be had at all")
    func unlockable() {
        let scene = Self.signedOut()
        scene.vault.lockProblem = VaultProblem(words: "no such folder")
        scene.send(.logIn)
        scene.advance(1)
        #expect(scene.logins == 0)
        #expect(scene.loginFailures.map(\.kind) == [.notSent])
    }

    @Test("a pair that could not be stored is revoked by a logout, at once")
    func abandoned() {
        let scene = Self.signedOut()
        scene.send(.logIn)
        scene.settle()
        scene.vault.writeProblem = VaultProblem(words: "disk full")
        scene.advance(0.3)
        #expect(scene.machine.flags.unsaved != nil)
        scene.send(.logOut(.this))
        scene.advance(1)
        #expect(scene.state == .signedOut(.user))
        #expect(scene.backend.families.map(\.isEnded) == [true])
    }

    @Test("a lock that is asked for by a login is given back when a logout comes first")
    func logoutWhileWaiting() {
        let scene = Self.signedOut()
        scene.vault.lockHeldElsewhere = 2
        scene.send(.logIn)
        scene.send(.logOut(.this))
        scene.advance(5)
        #expect(scene.logins == 0)
        #expect(scene.vault.holder == nil)
        #expect(scene.state == .signedOut(.user))
    }

    @Test("a renewal by login needs no vault that can be written, and takes up another's")
    func renewals() {
        let traits = SessionTraits.testing(hasRefreshToken: false, renewsByLogin: true)
        let full = Scene.signedIn(traits: traits) { $0.hasRefreshToken = false }
        full.vault.writeProblem = VaultProblem(words: "disk full")
        full.advanceToSoft()
        full.advance(1)
        #expect(full.logins == 2)
        #expect(full.state == .fresh)

        let beside = Scene.signedIn(traits: traits) { $0.hasRefreshToken = false }
        beside.vault.lockHeldElsewhere = 1
        beside.advanceToSoft()
        beside.vault.record?.family = "another family"
        beside.vault.record?.epoch += 1
        beside.advance(2)
        #expect(beside.logins == 1)
        #expect(beside.origins.last == .adopted)
    }
}
