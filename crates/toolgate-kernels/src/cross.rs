//! The cross of two lines, or of a line and a level.

use crate::kernel::check_finite;
use crate::state::{self, Head, KernelTag, corrupt};
use crate::{Error, Kernel};

/// Which way the fast line crossed the slow one.
///
/// ```
/// assert_eq!(toolgate_kernels::Direction::Up.name(), "up");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Direction {
    /// From below to above.
    Up,
    /// From above to below.
    Down,
}

impl Direction {
    /// `up` or `down`.
    ///
    /// ```
    /// assert_eq!(toolgate_kernels::Direction::Down.name(), "down");
    /// ```
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Up => "up",
            Self::Down => "down",
        }
    }
}

/// The two sides of a cross over many bars.
///
/// ```
/// use toolgate_kernels::{Cross, Direction, Kernel, Lines};
///
/// let mut out = Vec::new();
/// let fast = [29.0, 30.0, 31.0];
/// Cross::new().push_slice(Lines::SlowLevel { fast: &fast, slow: 30.0 }, &mut out)?;
/// assert_eq!(out, [None, None, Some(Direction::Up)]);
/// # Ok::<(), toolgate_kernels::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Lines<'a> {
    /// Two lines of one length.
    Both {
        /// The fast line.
        fast: &'a [f64],
        /// The slow line.
        slow: &'a [f64],
    },
    /// A line that crosses a level.
    SlowLevel {
        /// The fast line.
        fast: &'a [f64],
        /// The level.
        slow: f64,
    },
    /// A level that crosses a line.
    FastLevel {
        /// The level.
        fast: f64,
        /// The slow line.
        slow: &'a [f64],
    },
}

/// The cross of a fast line over or under a slow one, by the change of sign.
///
/// | | |
/// |---|---|
/// | rule | the sign of `fast - slow` differs from the last sign that was not zero |
/// | ties | carried: a touch that turns back is no cross; a cross through a touch is one, at the bar after it |
/// | start | no event before a first sign |
/// | warm-up | none of its own; it starts where both sides have values |
/// | exactness | by comparison, with no arithmetic |
///
/// The state has 36 bytes.
///
/// ```
/// use toolgate_kernels::{Cross, Direction, Kernel};
///
/// let mut cross = Cross::new();
/// let mut events = Vec::new();
/// for fast in [1.0, 3.0, 1.0, 3.0, 5.0, 2.0] {
///     events.push(cross.push((fast, 3.0))?);
/// }
/// assert_eq!(events, [None, None, None, None, Some(Direction::Up), Some(Direction::Down)]);
/// # Ok::<(), toolgate_kernels::Error>(())
/// ```
#[derive(Debug, Clone, Copy, Default)]
pub struct Cross {
    bars: u64,
    side: Side,
}

/// The side of the slow line that the fast one was last seen on.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Side {
    #[default]
    Unknown,
    Above,
    Below,
}

impl Cross {
    pub(crate) const TAG: KernelTag = KernelTag {
        id: 3,
        name: Self::NAME,
        revision: Self::REVISION,
    };

    /// A cross that has seen nothing.
    ///
    /// ```
    /// use toolgate_kernels::{Cross, Kernel};
    ///
    /// assert_eq!(Cross::new().bars(), 0);
    /// ```
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The bytes of a state.
    pub(crate) const fn state_bytes() -> u64 {
        state::kernel_state_bytes(1)
    }

    /// Takes one bar of finite values.
    #[inline]
    fn take(&mut self, fast: f64, slow: f64) -> Option<Direction> {
        self.bars += 1;
        let (side, direction) = if fast > slow {
            (Side::Above, Direction::Up)
        } else if fast < slow {
            (Side::Below, Direction::Down)
        } else {
            return None;
        };
        let before = std::mem::replace(&mut self.side, side);
        (before != side && before != Side::Unknown).then_some(direction)
    }

    /// Takes bars of finite values and appends a cell for each. Lines of two lengths
    /// are taken to the end of the shorter.
    pub(crate) fn extend(&mut self, lines: Lines<'_>, cells: &mut Vec<Option<Direction>>) {
        match lines {
            Lines::Both { fast, slow } => {
                cells.extend(
                    fast.iter()
                        .zip(slow)
                        .map(|(fast, slow)| self.take(*fast, *slow)),
                );
            }
            Lines::SlowLevel { fast, slow } => {
                cells.extend(fast.iter().map(|fast| self.take(*fast, slow)));
            }
            Lines::FastLevel { fast, slow } => {
                cells.extend(slow.iter().map(|slow| self.take(fast, *slow)));
            }
        }
    }
}

impl Kernel for Cross {
    const NAME: &'static str = "cross";
    const REVISION: u16 = 1;

    type Input = (f64, f64);
    type Slice<'a> = Lines<'a>;
    type Output = Direction;
    type Column = Vec<Option<Direction>>;

    fn push(&mut self, (fast, slow): (f64, f64)) -> Result<Option<Direction>, Error> {
        check_finite("fast", &[fast])?;
        check_finite("slow", &[slow])?;
        Ok(self.take(fast, slow))
    }

    fn push_slice(
        &mut self,
        inputs: Lines<'_>,
        out: &mut Vec<Option<Direction>>,
    ) -> Result<(), Error> {
        let (fast, slow) = match &inputs {
            Lines::Both { fast, slow } => (*fast, *slow),
            Lines::SlowLevel { fast, slow } => (*fast, std::slice::from_ref(slow)),
            Lines::FastLevel { fast, slow } => (std::slice::from_ref(fast), *slow),
        };
        if matches!(inputs, Lines::Both { .. }) && fast.len() != slow.len() {
            return Err(Error::LengthMismatch {
                column: "slow".to_owned(),
                found: slow.len(),
                expected: fast.len(),
            });
        }
        check_finite("fast", fast)?;
        check_finite("slow", slow)?;
        self.extend(inputs, out);
        Ok(())
    }

    fn peek(&self, input: (f64, f64)) -> Result<Option<Direction>, Error> {
        let mut copy = *self;
        copy.push(input)
    }

    fn bars(&self) -> u64 {
        self.bars
    }

    fn warm_up(&self) -> u64 {
        0
    }

    fn snapshot_into(&self, out: &mut Vec<u8>) {
        let head = Head {
            option: 0,
            flags: 0,
            period: 0,
            bars: self.bars,
        };
        let sign = match self.side {
            Side::Unknown => 0.0,
            Side::Above => 1.0,
            Side::Below => -1.0,
        };
        state::write_kernel(out, Self::TAG, head, std::iter::once(sign));
    }

    fn restore(bytes: &[u8]) -> Result<Self, Error> {
        let (head, mut reader) = state::read_kernel(bytes, Self::TAG)?;
        if head.option != 0 || head.flags != 0 || head.period != 0 {
            return Err(corrupt(
                10,
                "an option, a flag or a period",
                "0, for a cross has none",
            ));
        }
        let at = reader.at();
        let sign = reader.number()?;
        reader.end()?;
        let side = match sign {
            1.0 if head.bars > 0 => Side::Above,
            -1.0 if head.bars > 0 => Side::Below,
            _ if sign.to_bits() == 0 => Side::Unknown,
            _ => {
                return Err(corrupt(
                    at,
                    "another sign",
                    "-1, 0 or 1, and 0 before any bar",
                ));
            }
        };
        Ok(Self {
            bars: head.bars,
            side,
        })
    }
}
