import Testing

@testable import Terminal
@testable import UI

@Suite("Colors of a terminal")
struct ColorDepthTests {
    private func foreground(_ color: UInt8, on depth: ColorDepth) -> Rendition {
        depth.rendition(of: Appearance(foreground: .palette(color)))
    }

    @Test(
        "the number of colors says the depth",
        arguments: [
            (-1, ColorDepth.none), (0, .none), (2, .none), (8, .eight), (16, .sixteen),
            (88, .sixteen), (256, .palette), (16_777_216, .direct),
        ]
    )
    func depth(colors: Int, depth: ColorDepth) {
        #expect(ColorDepth(colors: colors) == depth)
    }

    @Test(
        "a palette shows every color as it is",
        arguments: [0, 7, 8, 15, 16, 208, 255] as [UInt8]
    )
    func palette(color: UInt8) {
        #expect(foreground(color, on: .palette).colors == ColorPair(foreground: Int32(color)))
    }

    @Test("a terminal of direct colors gets red, green and blue, and its first eight by number")
    func direct() {
        let color = Appearance(foreground: .rgb(red: 0x12, green: 0x34, blue: 0x56))
        #expect(ColorDepth.direct.rendition(of: color).colors.foreground == 0x123456)
        #expect(foreground(3, on: .direct).colors.foreground == 3)
        #expect(foreground(78, on: .direct).colors.foreground == 0x5FD787)
        let black = Appearance(foreground: .rgb(red: 0, green: 0, blue: 1))
        #expect(ColorDepth.direct.rendition(of: black).colors.foreground == 8)
    }

    @Test("of a true color, a palette has the nearest one")
    func nearest() {
        let green = Appearance(foreground: .rgb(red: 0x60, green: 0xD6, blue: 0x88))
        #expect(ColorDepth.palette.rendition(of: green).colors.foreground == 78)
        #expect(ColorDepth.sixteen.rendition(of: green).colors.foreground == 10)
    }

    @Test("without colors the attributes are left")
    func attributesOnly() {
        let appearance = Appearance(
            foreground: .palette(1),
            background: .palette(24),
            isBold: true,
            isDim: true,
            isReversed: true,
            isUnderlined: true
        )
        let expected = Rendition(attributes: [.bold, .dim, .reversed, .underlined])
        #expect(ColorDepth.none.rendition(of: appearance) == expected)
    }

    @Test("of eight colors a bright one is bold", arguments: 9...15 as ClosedRange<UInt8>)
    func bright(color: UInt8) {
        let expected = Rendition(
            colors: ColorPair(foreground: Int32(color) - 8),
            attributes: .bold
        )
        #expect(foreground(color, on: .eight) == expected)
    }

    @Test("bright black is dim, never bold black, which many terminals show as black on black")
    func brightBlack() {
        #expect(foreground(8, on: .eight) == Rendition(attributes: .dim))
    }

    @Test("a bright background is the plain one, and no letter gets bold by it")
    func brightBackground() {
        let rendition = ColorDepth.eight.rendition(of: Appearance(background: .palette(12)))
        #expect(rendition == Rendition(colors: ColorPair(background: 4)))
    }

    @Test("the terminal's own colors stay its own", arguments: [ColorDepth.eight, .sixteen])
    func defaults(depth: ColorDepth) {
        #expect(depth.rendition(of: Appearance()) == Rendition())
    }

    @Test(
        "a color of the cube keeps its hue",
        arguments: [
            (16, 0), (231, 15), (196, 9), (46, 10), (21, 12), (203, 9), (78, 10), (221, 11),
            (141, 12), (28, 2), (30, 6), (124, 1), (208, 11), (91, 5), (102, 8), (188, 7),
        ] as [(UInt8, UInt8)]
    )
    func hue(color: UInt8, named: UInt8) {
        #expect(NamedColors.nearest(color) == named)
    }

    @Test(
        "a gray is black, dark, light or white",
        arguments: [(232, 0), (239, 8), (245, 8), (250, 7), (255, 15)] as [(UInt8, UInt8)]
    )
    func greys(color: UInt8, named: UInt8) {
        #expect(NamedColors.nearest(color) == named)
    }

    @Test("every reduction stays within what the terminal has")
    func withinRange() {
        for color in UInt8.min...UInt8.max {
            let appearance = Appearance(foreground: .palette(color), background: .palette(color))
            let eight = ColorDepth.eight.rendition(of: appearance).colors
            let sixteen = ColorDepth.sixteen.rendition(of: appearance).colors
            #expect(eight.foreground ?? 0 < 8 && eight.background ?? 0 < 8)
            #expect(sixteen.foreground ?? 0 < 16 && sixteen.background ?? 0 < 16)
        }
    }
}
