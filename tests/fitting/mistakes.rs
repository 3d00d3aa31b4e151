//! Mistakes in data files and in what a scene says about them.

use costate::error::{Error, ErrorKind};

use crate::support::{planar, tight};
use crate::written;

fn refused(fit: &str, data: &str) -> Error {
    let fields = format!(
        r#"points: {{ "P": (at: [0, 1], velocity: [1, 0], mass: 1) }},
        events: {{ "passing": (when: Crossing("P.x - 0.5"), then: []) }},
        outputs: {{ "x": "P.x", "y": "P.y" }},
        objectives: {{ "fit": Sum([(1, Fit({fit}))]) }},"#
    );
    let found = written(&planar(1.0, &fields), &[("d.csv", data)], &tight());
    let found = found.and_then(|experiment| experiment.run(false, &mut |_| {}));
    found.expect_err(&format!("{fit}\n{data}"))
}

#[test]
fn what_is_wrong_with_a_data_file_is_said_with_its_line() {
    let plain = r#"data: "d.csv""#;
    let cases = [
        (
            plain,
            "t,x\n0,1\n0.5,abc\n",
            "line 3 of d.csv: `abc` in the column `x` is not a number",
        ),
        (plain, "# made\nt,x\n0,1\n0.5,inf\n", "line 4 of d.csv"),
        (
            plain,
            "t,x\n0,1,2\n",
            "line 2 of d.csv: 3 cells under a header of 2 columns",
        ),
        (
            plain,
            "t,x,x\n0,1,2\n",
            "line 1 of d.csv: two columns have the name `x`",
        ),
        (plain, "t,x\n0,1\n\n0.5,2\n", "line 3 of d.csv: it is empty"),
        (
            plain,
            "t,x\n0,1\n,2\n",
            "line 3 of d.csv: the column `x` has a value, but the time is missing",
        ),
        (
            plain,
            "t;x\n0;1\n",
            "line 1 of d.csv: the header is separated by semicolons",
        ),
        (
            plain,
            "t\tx\n0\t1\n",
            "line 1 of d.csv: the header is separated by tabs",
        ),
        (plain, "t,x\n0,1\n\0\0", "is not UTF-8 text"),
        (plain, "", "has no header"),
        (plain, "t,x\n", "no measured value"),
        (
            r#"data: "d.csv", sigma: "s""#,
            "t,x,s\n0,1,0\n",
            "line 2 of d.csv: the standard deviation in the column `s` is 0",
        ),
        (
            r#"data: "d.csv", sigma: "s""#,
            "t,x,s\n0,1,\n",
            "line 2 of d.csv: the standard deviation in the column `s` is missing",
        ),
        (
            r#"data: "d.csv", weight: "s""#,
            "t,x,s\n0,1,-1\n",
            "must be at least zero",
        ),
        (
            plain,
            "t,x\n0,1\n1.5,2\n",
            "line 3 of d.csv: the time 1.5 s lies outside the simulated 0 s to 1 s",
        ),
    ];
    for (fit, data, words) in cases {
        let error = refused(fit, data);
        assert!(error.message().contains(words), "{error}\ninstead of: {words}");
        assert!(
            error.advice().is_some() && error.place().is_some() || error.message().contains("header"),
            "{error:?}"
        );
    }
}

#[test]
fn what_a_scene_says_about_data_that_has_no_meaning_is_shown_in_the_scene() {
    let data = "t,x,height,impact\n0,1,2,0.5\n";
    let cases = [
        (r#"data: "e.csv""#, "there is no data file", "did you mean d.csv?"),
        (
            r#"data: "d.csv""#,
            "the column `height` of d.csv is not an output",
            "columns",
        ),
        (
            r#"data: "d.csv", columns: { "hight": "y" }"#,
            "d.csv has no column `hight`",
            "`height`",
        ),
        (
            r#"data: "d.csv", time: "time", columns: { "x": "x" }"#,
            "d.csv has no column `time`",
            "`t`",
        ),
        (
            r#"data: "d.csv", columns: { "height": "z" }"#,
            "no parameter or earlier output `z`",
            "`",
        ),
        (
            r#"data: "d.csv", events: { "impact": "pasing" }"#,
            "no contact or event `pasing`",
            "`passing`",
        ),
        (
            r#"data: "d.csv", columns: { "x": "x" }, sigma: -1"#,
            "the standard deviation is -1",
            "unit",
        ),
        (
            r#"data: "d.csv", columns: { "x": "x" }, sigma: "sd""#,
            "d.csv has no column `sd`",
            "`",
        ),
        (
            r#"data: "d.csv", columns: { "x": "x" }, sigma: 1, weight: 2"#,
            "exclude each other",
            "sigma",
        ),
        (
            r#"data: "d.csv", columns: { "x": (of: "x", sigma: 1), "height": "y" }"#,
            "some columns have standard",
            "sigma",
        ),
    ];
    for (fit, words, advice) in cases {
        let error = refused(fit, data);
        assert!(error.message().contains(words), "{error}\ninstead of: {words}");
        assert!(
            error.advice().is_some_and(|text| text.contains(advice)),
            "{:?}",
            error.advice()
        );
        assert!(error.place().is_some(), "{error:?}");
    }
}

#[test]
fn an_event_that_happens_less_often_than_it_was_measured_is_an_error_that_says_so() {
    let error = refused(r#"data: "d.csv", events: { "when": "passing" }"#, "when\n0.5\n0.9\n");
    assert_eq!(error.kind(), ErrorKind::Event);
    assert!(
        error
            .message()
            .contains("event 2 of \"passing\", which occurred 1 times"),
        "{error}"
    );
}

#[test]
fn a_scene_that_compares_other_things_is_refused_the_solver_for_data() {
    let fields = r#"parameters: { "v": 1 }, points: { "P": (at: [0, 1], velocity: ["v", 0], mass: 1) },
        objectives: { "fit": Fit(data: "d.csv", columns: { "x": "P.x" }), "end": Final("P.x^2") },
        optimization: (minimize: GOAL, over: ["v"], solver: GaussNewton),"#;
    for goal in [r#""end""#, r#"[(1, "fit"), (1, "end")]"#, r#"[(-1, "fit")]"#] {
        let text = planar(1.0, &fields.replace("GOAL", goal));
        let error = written(&text, &[("d.csv", "t,x\n1,2\n")], &tight()).expect_err(goal);
        assert!(
            error
                .message()
                .contains("minimizes `Fit` and `SumOfSquares` objectives only"),
            "{error}"
        );
    }
}
