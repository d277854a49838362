import Basics
import Client
import Model

/// An event that is going to happen in a simulated system.
enum SimulationEvent {
    case start(process: Int)
    /// Ignored if the timer was set again in the meantime.
    case tick(process: Int, arming: Int)
    case input(process: Int, incarnation: Int, SessionInput)
    /// A user logs in again after the session has ended.
    case login(process: Int, incarnation: Int)
    /// A vault operation, which runs in its own queue, has ended.
    case vaultDone(process: Int, incarnation: Int, SessionInput)
    case vaultTouches(process: Int, incarnation: Int, SessionEffect)
    case lockDone(process: Int, incarnation: Int, SessionInput)
    case lockTimeoutElapses(process: Int, incarnation: Int, OperationID)
    case requestArrives(PendingExchange)
    case serverDecides(PendingExchange)
    case answerArrives(PendingExchange)
    case dialArrives(SimulatedSocket)
    case dialTimeoutElapses(SimulatedSocket)
    case frameArrives(SimulatedSocket, SimulatedSocket.Frame)
    case closeArrives(SimulatedSocket)
    case closeTimeoutElapses(SimulatedSocket)
    case socketIsCut(SimulatedSocket)
    /// The token of this generation, with which the server keeps the socket open, ends.
    case socketExpires(SimulatedSocket, generation: Int)
    case messageIsDue(user: Int)
    case suspend, resume(process: Int)
    case wallStep
    case outageBegins
    case userAction
    case deletion
    case call(process: Int)
    case request(process: Int)
    case cancel(process: Int, incarnation: Int, waiter: Int)
    case logoutMustBeDone(process: Int, incarnation: Int, family: String, suspensions: Int)
}
