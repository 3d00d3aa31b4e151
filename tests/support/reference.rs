//! Values that runs must reproduce, with their sources.

/// A run of the five-bar mechanism: Corner, Sandu, Sandu, section 7, integrated by two independent methods (index-1 and minimal
/// coordinates) that agree to 1e-12.
pub struct FiveBar {
    /// Name of the scene.
    pub scene: &'static str,
    /// Times at which the ground is struck.
    pub times: &'static [f64],
    /// x2, y2, vx2, vy2, int_vy2, int_ay2, int_height, int_distance at 5 s.
    pub finals: [f64; 8],
}

/// Names of the objectives in the order of [`FiveBar::finals`].
pub const FIVE_BAR_OBJECTIVES: [&str; 8] = [
    "x2",
    "y2",
    "vx2",
    "vy2",
    "int_vy2",
    "int_ay2",
    "int_height",
    "int_distance",
];

/// The three variants.
pub const FIVE_BARS: [FiveBar; 3] = [
    FiveBar {
        scene: "five_bar",
        times: &[0.3118276041868766, 1.7797438670432677, 2.453793178832239],
        finals: [
            -0.33318230567024676,
            -2.1377916959766687,
            0.4754691892395421,
            -0.3099694998477984,
            -0.034961695976668546,
            -4.278054421102769,
            0.2624131821138738,
            0.833961634644964,
        ],
    },
    FiveBar {
        scene: "five_bar_restitution",
        times: &[0.3118276041868766, 1.780368234774026, 2.4575797948171236],
        finals: [
            -0.3360678055250469,
            -2.1357638829795853,
            0.4535084617902337,
            -0.35177901453903593,
            -0.032933882979585216,
            -4.260034350597977,
            0.26303168660863085,
            0.8386418777715802,
        ],
    },
    FiveBar {
        scene: "five_bar_smooth",
        times: &[],
        finals: [
            0.384031681698133,
            -2.3037834442252776,
            -0.9123569162214314,
            1.1299525547743443,
            -0.3037834442252775,
            1.1299525547743443,
            0.43624731058394756,
            0.7268774613130026,
        ],
    },
];

/// Angles of Andrews' squeezing mechanism at 0.03 s (Test Set for IVP Solvers).
pub const ANDREWS_END: [(&str, f64); 7] = [
    ("beta", 15.81077119629904),
    ("theta", -15.75637105984298),
    ("gamma", 0.04082224013073101),
    ("phi", -0.5347301163226948),
    ("delta", 0.5244099658805303),
    ("omega", 0.5347301163226948),
    ("epsilon", 1.048080741042263),
];

/// Accelerations of Andrews' squeezing mechanism at the start, rad/s^2 (Hairer, Wanner, section VII.7).
pub const ANDREWS_START: [(&str, f64); 2] = [
    ("beta acceleration", 14222.443919954114),
    ("theta acceleration", -10666.832939965585),
];

/// B0 of the N four-bar mechanism with 2 windows at 10 s, from its reduction to one ordinary differential equation.
pub const TWO_WINDOWS: [f64; 2] = [0.32845811153, 0.94451853818];

/// B0 of the N four-bar mechanism with 40 windows at 10 s and 20 s, likewise.
pub const FORTY_WINDOWS: [(f64, [f64; 2]); 2] = [
    (10.0, [0.18051222668, 0.98357274058]),
    (20.0, [0.41090115374, 0.91167990098]),
];
