//! H.264 in MP4, by the program ffmpeg.

use std::fs;
use std::io::{ErrorKind as IoKind, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::{self, JoinHandle};

use super::image::{Pictures, failed};
use crate::error::{Error, ErrorKind, Result};
use crate::files::Image;

const PROGRAM: &str = "ffmpeg";
/// What it is given: red, green and blue.
const PIXELS: &str = "-loglevel error -f rawvideo -pixel_format rgb24";
/// What it writes: a coding that all players know. Colours say how they are coded, which players guess from the size otherwise;
/// the table of contents lies in front, so that browsers begin to play at once.
const CODING: &str = "-vf scale=out_color_matrix=bt709:out_range=tv -colorspace bt709 -color_primaries bt709 -color_trc bt709 \
                      -c:v libx264 -pix_fmt yuv420p -movflags +faststart -f mp4 -y";
/// Lines of its complaints that a message has.
const LINES: usize = 3;

/// A file that ffmpeg writes while it is given the pictures.
pub(super) struct Mp4 {
    ffmpeg: Child,
    /// Reads its complaints, so that it never waits for them to be read.
    complaints: Option<JoinHandle<String>>,
    size: (u32, u32),
    file: PathBuf,
}

/// Whether the program that writes .mp4 is there.
///
/// # Errors
/// Kind `File` when it is not, or cannot be started.
pub fn check_ffmpeg() -> Result<()> {
    started(
        Command::new(PROGRAM)
            .arg("-version")
            .stdin(Stdio::null())
            .stderr(Stdio::null()),
    )
    .and_then(|mut ffmpeg| ffmpeg.wait().map_err(|error| unstartable(&error)))
    .map(|_status| ())
}

fn started(command: &mut Command) -> Result<Child> {
    command
        .stdout(Stdio::null())
        .spawn()
        .map_err(|error| unstartable(&error))
}

fn unstartable(error: &std::io::Error) -> Error {
    let message = match error.kind() {
        IoKind::NotFound => format!("no program {PROGRAM} is found on PATH, which writes .mp4"),
        _ => format!("the program {PROGRAM}, which writes .mp4, cannot be started: {error}"),
    };
    Error::new(ErrorKind::File, message)
        .advise("install it, or give --out a name that ends with .gif or .apng, or a folder for one picture a frame")
}

impl Mp4 {
    /// A file of pictures of this size, which has even sides, so many a second.
    ///
    /// # Errors
    /// Kind `File` when ffmpeg cannot be started.
    pub fn new(size: (u32, u32), fps: f64, file: &Path) -> Result<Self> {
        let mut command = Command::new(PROGRAM);
        command.args(PIXELS.split(' '));
        command.args(["-video_size", &format!("{}x{}", size.0, size.1)]);
        command.args(["-framerate", &fps.to_string(), "-i", "pipe:0"]);
        command.args(CODING.split(' '));
        // A name with a colon would be taken for an address.
        let mut place = std::ffi::OsString::from("file:");
        place.push(file);
        let mut ffmpeg = started(command.arg(place).stdin(Stdio::piped()).stderr(Stdio::piped()))?;
        let complaints = ffmpeg.stderr.take().map(|mut stderr| {
            thread::spawn(move || {
                let mut bytes = Vec::new();
                // What was read until then is all that there is to tell.
                let _ = stderr.read_to_end(&mut bytes);
                String::from_utf8_lossy(&bytes).into_owned()
            })
        });
        let file = file.to_path_buf();
        Ok(Self {
            ffmpeg,
            complaints,
            size,
            file,
        })
    }

    /// Waits for the end of ffmpeg, which has all pictures or takes no more of them.
    fn end(&mut self, has_all: bool) -> Result<()> {
        drop(self.ffmpeg.stdin.take());
        let status = self.ffmpeg.wait().map_err(|error| failure(&error.to_string()))?;
        if has_all && status.success() {
            return Ok(());
        }
        let complaints = self
            .complaints
            .take()
            .and_then(|reader| reader.join().ok())
            .unwrap_or_default();
        let lines: Vec<&str> = complaints
            .lines()
            .map(str::trim)
            .filter(|line| !line.is_empty())
            .collect();
        let reason = match &lines[lines.len().saturating_sub(LINES)..] {
            [] => format!("it ended with {status}"),
            last => last.join("; "),
        };
        Err(failure(&reason))
    }
}

fn failure(reason: &str) -> Error {
    let message = format!("{PROGRAM}, which writes .mp4, failed: {reason}");
    Error::new(ErrorKind::File, message).advise(
        "see that it has the encoder libx264, or give --out a name that ends with .gif or .apng, or a folder for one picture a frame",
    )
}

impl Pictures for Mp4 {
    fn add(&mut self, image: &Image) -> Result<()> {
        if (image.width, image.height) != self.size {
            return Err(failed("it has another size than the animation"));
        }
        let taken = self
            .ffmpeg
            .stdin
            .as_mut()
            .is_some_and(|input| input.write_all(&image.rgb).is_ok());
        if taken { Ok(()) } else { self.end(false) }
    }

    fn finish(mut self) -> Result<Vec<u8>> {
        self.end(true)?;
        fs::read(&self.file).map_err(|error| failure(&format!("it has written nothing: {error}")))
    }
}

impl Drop for Mp4 {
    fn drop(&mut self) {
        // One that has ended takes no harm.
        let _ = self.ffmpeg.kill();
        let _ = self.ffmpeg.wait();
    }
}
