//! A motion as SVG that plays by itself.

use std::fmt::Write;
use std::ops::Range;

use super::Sketch;
use super::svg::{mark, page};

/// Pictures of one page, so many a second, over and over; no script is needed. What is the same in all of them is drawn once.
/// Programs that do not play it show the first.
pub(super) fn written(pictures: &[Sketch], fps: f64) -> String {
    let frames = pictures.iter().map(|picture| picture.marks.iter().map(mark).collect());
    let frames: Vec<Vec<String>> = frames.collect();
    let resting = resting(&frames);
    let parts: Vec<Vec<String>> = frames.iter().map(|frame| between(frame, &resting)).collect();
    let mut marks = String::new();
    for (k, rests) in resting.iter().map(Some).chain([None]).enumerate() {
        let mut first = 0;
        for same in parts.chunk_by(|one, next| one[k] == next[k]) {
            let times = first..first + same.len();
            first = times.end;
            write_part(&same[0][k], times, (frames.len(), fps), &mut marks);
        }
        marks.extend(rests.into_iter().map(|mark| mark.as_str()));
    }
    pictures.first().map_or(String::new(), |picture| page(picture, &marks))
}

/// The marks that all frames have, in the order that all have them in.
fn resting(frames: &[Vec<String>]) -> Vec<&String> {
    let mut resting: Vec<&String> = frames.first().into_iter().flatten().collect();
    for frame in frames {
        let mut rest = frame.iter();
        resting.retain(|mark| {
            let behind = rest.clone().position(|other| other == *mark);
            behind.map(|behind| rest.nth(behind)).is_some()
        });
    }
    resting
}

/// What a frame has before, between and after the resting marks.
fn between(frame: &[String], resting: &[&String]) -> Vec<String> {
    let mut parts = vec![String::new()];
    for mark in frame {
        match (resting.get(parts.len() - 1), parts.last_mut()) {
            (Some(rests), _) if *rests == mark => parts.push(String::new()),
            (_, Some(part)) => part.push_str(mark),
            _ => {}
        }
    }
    parts
}

/// Marks that are shown in these of so many frames.
fn write_part(marks: &str, shown: Range<usize>, (count, fps): (usize, f64), out: &mut String) {
    if marks.is_empty() {
        return;
    }
    let (first, last) = (usize::from(shown.start == 0), 3 - usize::from(shown.end == count));
    let steps = &[(0, "none"), (shown.start, "inline"), (shown.end, "none")][first..last];
    if steps.len() == 1 {
        return out.push_str(marks);
    }
    let listed = |step: &dyn Fn(&(usize, &str)) -> String| steps.iter().map(step).collect::<Vec<_>>().join(";");
    let _ = writeln!(
        out,
        "<g{}><animate attributeName=\"display\" calcMode=\"discrete\" values=\"{}\" keyTimes=\"{}\" dur=\"{}s\" \
         repeatCount=\"indefinite\"/>\n{marks}</g>",
        [" display=\"none\"", ""][first],
        listed(&|(_, display)| display.to_string()),
        listed(&|(frame, _)| micro(*frame as f64 / count as f64)),
        micro(count as f64 / fps)
    );
}

/// A time to six digits behind the point.
fn micro(time: f64) -> String {
    format!("{}", (time * 1e6).round() / 1e6)
}
