import Basics
import Model
import Profiles
import UI

/// The commands to the session of a story.
extension DashboardCommand {
    static let renewNow = one(.renewNow)
    static let logIn = one(.logIn)
    static let checkClocks = one(.checkClocks)
    static let tryVault = one(.tryVault)
    static let sendRequest = one(.send(.request))
    static let introspect = one(.introspect)
    static let listSessions = one(.send(.sessions))

    static func logOut(_ scope: LogoutScope) -> Self { one(.logOut(scope)) }
    static func endSession(_ id: String) -> Self { one(.send(.endSession(id))) }
    static func sendCustom(_ request: CustomRequest) -> Self { one(.send(.custom(request))) }

    static func setPaused(_ extent: PauseExtent?, by cause: PauseCause = .user) -> Self {
        one(.setPaused(extent, by: cause))
    }

    static func logInWith(_ values: [String: Secret]) -> Self {
        .logInWith(values, on: EventScript.session)
    }

    static func faults(_ request: FaultRequest) -> Self {
        .faults(request, on: EventScript.session)
    }

    private static func one(_ command: SessionCommand) -> Self {
        .perform(command, on: EventScript.session)
    }
}
