//! The `view` and `render` commands.

mod arguments;
#[cfg(feature = "viewer")]
mod pixels;

#[cfg(all(feature = "viewer", target_os = "linux"))]
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
#[cfg(all(feature = "viewer", target_os = "linux"))]
use std::process::Command;

use super::print::say;
use super::progress::Progress;
use crate::error::{Error, ErrorKind, Result};
use crate::expression::suggest;
use crate::files::{self, OutFolder, extension, file_name};
use crate::model::Model;
use crate::output::animation::{Format, check_ffmpeg};
use crate::run::{Experiment, Variants, about};
use crate::show::{Comparison, Show};
use crate::sketch::{self, Sketch};
pub(super) use arguments::RenderArguments;
use arguments::StyleArgument;
#[cfg(feature = "viewer")]
pub(super) use arguments::ViewArguments;
#[cfg(feature = "viewer")]
use pixels::drawn;

/// What the name of the output asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Target {
    Vector(Vector),
    Pixels(Pixels),
}

impl Target {
    /// Whether it shows a motion and not moments of it.
    fn is_motion(self) -> bool {
        !matches!(
            self,
            Self::Vector(Vector::Svg | Vector::Pdf) | Self::Pixels(Pixels::Png)
        )
    }
}

/// Pictures of lines and areas.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Vector {
    Svg,
    /// An .svg that plays.
    AnimatedSvg,
    Pdf,
}

/// Pictures of pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Pixels {
    Png,
    Animation(Format),
    /// A folder of numbered pictures.
    Frames,
}

/// Files by name.
type Files = Vec<(String, Vec<u8>)>;

#[cfg(feature = "viewer")]
pub(super) fn view(arguments: &ViewArguments) -> Result<()> {
    name_runtime_folder();
    crate::viewer::view(&arguments.common.scene, &arguments.common.changes())
}

pub(super) fn render(arguments: &RenderArguments) -> Result<()> {
    let common = &arguments.common;
    let target = target(arguments)?;
    check_options(arguments, target)?;
    check_program(arguments, target)?;
    #[cfg(feature = "viewer")]
    if matches!(target, Target::Pixels(_)) {
        name_runtime_folder();
    }
    let experiment = Experiment::open(&common.scene, &common.changes_within(&arguments.limit))?;
    check_direction(arguments, experiment.mechanism.model.dimension)?;
    if matches!(target, Target::Vector(_)) {
        sketch::check_plane(&experiment.mechanism.model)?;
    }
    let moments = moments(arguments, &experiment)?;
    check_curves(arguments, &experiment.mechanism.model)?;
    let variants = variants(arguments, &experiment)?;
    let out = OutFolder::checked(folder(arguments, target), experiment.inputs())?;
    if target != Target::Pixels(Pixels::Frames) {
        out.refuse_input(&file_name(&arguments.out)?)?;
    }
    let progress = Progress::new(common.quiet);
    let (show, comparison) = Comparison::simulated(experiment, variants, &mut |part| {
        progress.at(0.5 * part, || "simulating".to_string());
    })?;
    let files = match target {
        Target::Vector(vector) => sketched(arguments, vector, (&show, &comparison), &moments)?,
        Target::Pixels(pixels) => drawn(arguments, pixels, (&show, comparison), &moments, &progress)?,
    };
    progress.finish();
    let written = files::write(files, &out)?;
    if !common.quiet {
        report(&written, &arguments.out)?;
        report_speed(arguments, target, &show)?;
    }
    Ok(())
}

/// Starts the program anew with a folder for what displays leave there, where none is named: graphics drivers look into it, and complain
/// where it has no name.
#[cfg(all(feature = "viewer", target_os = "linux"))]
fn name_runtime_folder() {
    const NAME: &str = "XDG_RUNTIME_DIR";
    let mut arguments = std::env::args_os();
    let is_named = std::env::var_os(NAME).is_some_and(|folder| Path::new(&folder).is_absolute());
    if let (false, Ok(program), Some(name)) = (is_named, std::env::current_exe(), arguments.next()) {
        let mut program = Command::new(program);
        // Where that fails, the program goes on as it is.
        let _ = program
            .arg0(name)
            .args(arguments)
            .env(NAME, std::env::temp_dir())
            .exec();
    }
}

#[cfg(all(feature = "viewer", not(target_os = "linux")))]
fn name_runtime_folder() {}

fn sketched(
    arguments: &RenderArguments,
    vector: Vector,
    (show, comparison): (&Show, &Comparison),
    moments: &[f64],
) -> Result<Files> {
    let gradient = arguments.gradient.as_ref();
    let gradient = gradient.map(|objective| show.experiment.design_gradient(objective));
    let look = arguments.look(gradient.transpose()?);
    let sketch = || Sketch::compared(show, comparison, moments, &look);
    let content = match vector {
        Vector::Svg => sketch()?.svg().into_bytes(),
        Vector::AnimatedSvg => Sketch::animated(show, comparison, arguments.rates(show), &look)?.into_bytes(),
        Vector::Pdf => sketch()?.pdf(),
    };
    Ok(vec![(file_name(&arguments.out)?, content)])
}

#[cfg(not(feature = "viewer"))]
fn drawn(_: &RenderArguments, _: Pixels, _: (&Show, Comparison), _: &[f64], _: &Progress) -> Result<Files> {
    let message = "this program was built without the viewer, which draws pictures of pixels";
    Err(Error::new(ErrorKind::Graphics, message).advise("give --out a name that ends with .svg or .pdf"))
}

/// The moments that are drawn.
fn moments(arguments: &RenderArguments, experiment: &Experiment) -> Result<Vec<f64>> {
    let moments = arguments.at.iter().map(|&t| experiment.moment("--at", t));
    let moments: Vec<f64> = moments.collect::<Result<_>>()?;
    Ok(if moments.is_empty() {
        vec![experiment.start]
    } else {
        moments
    })
}

/// What is drawn beside the scene, checked before anything is simulated.
fn variants(arguments: &RenderArguments, experiment: &Experiment) -> Result<Variants> {
    let variants = arguments.beside.variants(experiment)?;
    for (label, other) in &variants.others {
        moments(arguments, other).map_err(|error| about(label, error))?;
    }
    Ok(variants)
}

/// What only pictures of pixels, only vector pictures or only pictures of moments have.
fn check_options(arguments: &RenderArguments, target: Target) -> Result<()> {
    const VECTOR: (&str, &str) = ("vector pictures", "give --out a name that ends with .png or .gif");
    const PIXELS: (&str, &str) = ("pictures of pixels", "give --out a name that ends with .svg or .pdf");
    const MOTION: (&str, &str) = (
        "motions",
        "give --out a name that ends with .png, .svg or .pdf, without --fps and --speed",
    );
    const PRINT: (&str, &str) = ("black lines", "leave out --style paper");
    let is_vector = matches!(target, Target::Vector(_));
    let is_print = is_vector && arguments.style == StyleArgument::Paper;
    let refused = [
        (is_print && arguments.gradient.is_some(), "--gradient", PRINT),
        (is_vector && !arguments.curves.is_empty(), "--curves", VECTOR),
        (!is_vector && arguments.style != Default::default(), "--style", PIXELS),
        (!is_vector && arguments.width.is_some(), "--width", PIXELS),
        (target.is_motion() && !arguments.at.is_empty(), "--at", MOTION),
    ];
    match refused.into_iter().find(|(is_given, ..)| *is_given) {
        None => Ok(()),
        Some((_, option, (kind, advice))) => {
            let message = format!("{option} is not for {kind}");
            Err(Error::new(ErrorKind::Request, message).advise(format!("leave it out, or {advice}")))
        }
    }
}

/// What another program writes has even sides, and needs the program.
fn check_program(arguments: &RenderArguments, target: Target) -> Result<()> {
    if target != Target::Pixels(Pixels::Animation(Format::Mp4)) {
        return Ok(());
    }
    let (width, height) = arguments.size;
    if width % 2 + height % 2 > 0 {
        let message = format!("pictures of an .mp4 have even sides, and --size is {width}x{height}");
        let even = format!("give --size {}x{}", width + width % 2, height + height % 2);
        return Err(Error::new(ErrorKind::Request, message).advise(even));
    }
    check_ffmpeg()
}

/// Curves below the pictures are those of outputs.
fn check_curves(arguments: &RenderArguments, model: &Model) -> Result<()> {
    let is_known = |name: &String| model.outputs.iter().any(|(output, _)| output == name);
    let Some(name) = arguments.curves.iter().find(|name| !is_known(name)) else {
        return Ok(());
    };
    let outputs = model.outputs.iter().map(|(output, _)| output.as_str());
    let message = format!("--curves names \"{name}\", which is no output of the scene");
    Err(Error::new(ErrorKind::Request, message)
        .named(name)
        .advise(suggest(name, outputs, "outputs")))
}

/// A planar mechanism is seen straight on.
fn check_direction(arguments: &RenderArguments, dimension: usize) -> Result<()> {
    let turned = arguments.azimuth.is_some() || arguments.elevation.is_some();
    if dimension == 3 || !turned {
        return Ok(());
    }
    let message = "a planar mechanism is seen straight on: --azimuth and --elevation are for spatial ones";
    Err(Error::new(ErrorKind::Request, message).advise("use --zoom and --centre to look at a part of it"))
}

/// Where the pictures go.
fn folder(arguments: &RenderArguments, target: Target) -> &Path {
    match target {
        Target::Pixels(Pixels::Frames) => &arguments.out,
        _ => arguments.out.parent().unwrap_or(Path::new("")),
    }
}

fn report(written: &[PathBuf], out: &Path) -> Result<()> {
    match written {
        [only] => say!("{} written", only.display()),
        _ => say!("{} pictures written to {}", written.len(), out.display()),
    }
}

/// A speed that nobody asked for.
fn report_speed(arguments: &RenderArguments, target: Target, show: &Show) -> Result<()> {
    match show.usual_speed() {
        speed if target.is_motion() && arguments.speed.is_none() && speed != 1.0 => {
            say!("  at {speed} of the true speed, to be watched; --speed 1 for the true one")
        }
        _ => Ok(()),
    }
}

fn target(arguments: &RenderArguments) -> Result<Target> {
    let plays = arguments.fps.is_some() || arguments.speed.is_some();
    match extension(&arguments.out).as_deref() {
        Some("svg") if plays => Ok(Target::Vector(Vector::AnimatedSvg)),
        Some("svg") => Ok(Target::Vector(Vector::Svg)),
        Some("pdf") => Ok(Target::Vector(Vector::Pdf)),
        Some("png") => Ok(Target::Pixels(Pixels::Png)),
        Some("gif") => Ok(Target::Pixels(Pixels::Animation(Format::Gif))),
        Some("apng") => Ok(Target::Pixels(Pixels::Animation(Format::Apng))),
        Some("mp4") => Ok(Target::Pixels(Pixels::Animation(Format::Mp4))),
        None => Ok(Target::Pixels(Pixels::Frames)),
        Some(other) => {
            let message = format!("pictures are not written as .{other}");
            Err(Error::new(ErrorKind::Request, message).advise(
                "give --out a name that ends with .png, .svg, .pdf, .gif, .apng or .mp4, or a folder for one picture a frame; an .svg plays with --fps",
            ))
        }
    }
}
