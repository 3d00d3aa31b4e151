//! The time that a window shows, and how it goes on.

use crate::show::usual_speed;

/// How many times slower and faster than its usual speed a motion is played at most.
const RANGE: f64 = 100.0;
/// A motion that lasts as many times as long as the one before, or as short, is played at its own usual speed.
const ANOTHER: f64 = 2.0;
/// A single step, in seconds of a playback at normal speed.
const STEP: f64 = 1.0 / 60.0;

/// A time cursor over the span of a motion.
#[derive(Clone, Debug, PartialEq)]
pub struct Playback {
    start: f64,
    end: f64,
    /// Shown time.
    t: f64,
    /// Whether the time goes on by itself.
    pub playing: bool,
    /// Simulated seconds per second.
    speed: f64,
    /// Whether it starts again at the end.
    pub looping: bool,
}

impl Playback {
    /// At the start of a span, playing at the speed that suits it.
    pub fn new((start, end): (f64, f64)) -> Self {
        Self {
            start,
            end,
            t: start,
            playing: true,
            speed: usual_speed(end - start),
            looping: true,
        }
    }

    /// Shown time.
    pub fn t(&self) -> f64 {
        self.t
    }

    /// First and last time.
    pub fn span(&self) -> (f64, f64) {
        (self.start, self.end)
    }

    /// Simulated seconds per second.
    pub fn speed(&self) -> f64 {
        self.speed
    }

    /// Slowest and fastest speed.
    pub fn speeds(&self) -> (f64, f64) {
        let usual = usual_speed(self.end - self.start);
        (usual / RANGE, usual * RANGE)
    }

    /// Changes the speed within [`Playback::speeds`].
    pub fn set_speed(&mut self, speed: f64) {
        let (slowest, fastest) = self.speeds();
        self.speed = speed.clamp(slowest, fastest);
    }

    /// Shows another time of the span and stays there.
    pub fn seek(&mut self, t: f64) {
        self.t = t.clamp(self.start, self.end);
        self.playing = false;
    }

    /// Plays or pauses; from the end it plays from the start.
    pub fn toggle(&mut self) {
        if !self.playing && self.t >= self.end {
            self.t = self.start;
        }
        self.playing = !self.playing;
    }

    /// Goes on by seconds of real time, if it plays.
    pub fn advance(&mut self, seconds: f64) {
        if !self.playing {
            return;
        }
        self.t += self.speed * seconds;
        if self.t < self.end {
            return;
        }
        let length = self.end - self.start;
        if self.looping && length > 0.0 {
            self.t = self.start + (self.t - self.start) % length;
        } else {
            (self.t, self.playing) = (self.end, false);
        }
    }

    /// One step forwards (+1) or backwards (-1), and stays there.
    pub fn step(&mut self, direction: f64) {
        self.seek(self.t + direction * self.speed * STEP);
    }

    /// Jumps to the next event after the shown time; to the end behind the last.
    pub fn seek_next(&mut self, events: impl Iterator<Item = f64>) {
        let next = events.filter(|event| *event > self.t).fold(self.end, f64::min);
        self.seek(next);
    }

    /// Jumps to the last event before the shown time; to the start before the first.
    pub fn seek_previous(&mut self, events: impl Iterator<Item = f64>) {
        let previous = events.filter(|event| *event < self.t).fold(self.start, f64::max);
        self.seek(previous);
    }

    /// The span of another motion; the time stays where the new span holds it, and so does the speed unless the motion lasts much
    /// longer or shorter.
    pub fn set_span(&mut self, (start, end): (f64, f64)) {
        let factor = (end - start) / (self.end - self.start);
        (self.start, self.end) = (start, end);
        self.t = self.t.clamp(start, end);
        if !(ANOTHER.recip()..=ANOTHER).contains(&factor) {
            self.speed = usual_speed(end - start);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Playback;

    #[test]
    fn it_starts_again_at_the_end_or_stays_there() {
        let mut playback = Playback::new((1.0, 3.0));
        playback.set_speed(1.0);
        playback.advance(2.5);
        assert_eq!(playback.t(), 1.5);
        playback.looping = false;
        playback.advance(10.0);
        assert_eq!((playback.t(), playback.playing), (3.0, false));
        playback.toggle();
        assert_eq!((playback.t(), playback.playing), (1.0, true));
    }

    #[test]
    fn it_goes_from_event_to_event() {
        let mut playback = Playback::new((0.0, 5.0));
        let events = || [1.0, 2.0, 2.0].into_iter();
        for expected in [1.0, 2.0, 5.0] {
            playback.seek_next(events());
            assert_eq!(playback.t(), expected);
        }
        for expected in [2.0, 1.0, 0.0] {
            playback.seek_previous(events());
            assert_eq!(playback.t(), expected);
        }
        assert!(!playback.playing);
    }

    #[test]
    fn the_speed_has_bounds_and_steps_follow_it() {
        let mut playback = Playback::new((0.0, 5.0));
        playback.set_speed(0.0);
        assert_eq!(playback.speed(), 0.01);
        playback.set_speed(1e9);
        assert_eq!(playback.speed(), 100.0);
        playback.set_speed(6.0);
        playback.step(1.0);
        assert_eq!(playback.t(), 0.1);
        playback.step(-1.0);
        playback.step(-1.0);
        assert_eq!(playback.t(), 0.0);
    }

    #[test]
    fn another_motion_keeps_the_time_that_it_has() {
        let mut playback = Playback::new((0.0, 5.0));
        playback.seek(4.0);
        playback.set_span((0.0, 3.0));
        assert_eq!(playback.t(), 3.0);
    }

    #[test]
    fn a_motion_of_any_duration_takes_three_to_ten_seconds() {
        for (duration, speed) in [
            (3e-6, 5e-7),
            (0.03, 0.005),
            (1.0, 0.2),
            (3.0, 1.0),
            (10.0, 1.0),
            (40.0, 10.0),
            (9e4, 2e4),
        ] {
            let mut playback = Playback::new((1.0, 1.0 + duration));
            // The end is rounded.
            assert!(
                (playback.speed() / speed - 1.0).abs() < 1e-12,
                "{duration} s at {}",
                playback.speed()
            );
            assert!((3.0..=10.0).contains(&(duration / playback.speed())), "{duration} s");
            // A speed that was chosen stays until the motion is quite another one.
            playback.set_speed(0.5 * speed);
            playback.set_span((1.0, 1.0 + 1.5 * duration));
            assert!((playback.speed() / speed - 0.5).abs() < 1e-12);
        }
        let mut playback = Playback::new((0.0, 4.0));
        playback.set_speed(0.5);
        playback.set_span((0.0, 0.04));
        assert_eq!(playback.speed(), 0.01);
    }
}
