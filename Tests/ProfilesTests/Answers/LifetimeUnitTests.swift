import Testing

@testable import Profiles

@Suite("LifetimeUnit")
struct LifetimeUnitTests {
    @Test(
        "a number of it is a life in seconds",
        arguments: [
            (LifetimeUnit.seconds, 90, 90), (.milliseconds, 90_500, 90.5), (.minutes, 1.5, 90),
            (.hours, 2, 7_200), (.days, 30, 2_592_000),
        ] as [(LifetimeUnit, Double, Double)]
    )
    func seconds(unit: LifetimeUnit, number: Double, seconds: Double) {
        #expect(unit.seconds(number) == seconds)
    }

    @Test(
        "a life is stated by the least number that is no shorter",
        arguments: LifetimeUnit.allCases
    )
    func number(unit: LifetimeUnit) {
        for seconds in [1, 59, 60, 61, 3_600, 86_401] {
            let number = unit.number(ofSeconds: seconds)
            #expect(unit.seconds(Double(number)) >= Double(seconds))
            #expect(unit.seconds(Double(number - 1)) < Double(seconds))
        }
    }

    @Test("a profile has a name for lifetimes in seconds and in milliseconds")
    func kinds() {
        let kinds = LifetimeUnit.allCases.map(\.kind)
        #expect(kinds == [.seconds, .milliseconds, nil, nil, nil])
    }
}
