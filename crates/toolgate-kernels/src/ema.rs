//! The exponential moving average.

use crate::kernel::check_finite;
use crate::state::{self, Head, KernelTag, corrupt};
use crate::{Error, Kernel, Numbers, period};

/// How an [`Ema`] starts: libraries differ here, so there is no default.
///
/// Two EMAs that start apart stay apart for a long time: their difference has shrunk
/// to 1e-8 of itself after about `9 n` bars, to 1e-12 after about `14 n`.
///
/// | seed | name in a plan | first result | as in |
/// |---|---|---|---|
/// | [`Sma`](Self::Sma) | `sma` | bar n: the mean of the first n values | TA-Lib, most charting tools |
/// | [`First`](Self::First) | `first` | bar 1: the first value | Tulip Indicators, pandas `ewm(adjust=False)` |
/// | [`Adjusted`](Self::Adjusted) | `adjusted` | bar 1: the weighted mean of what there is | pandas `ewm(adjust=True)`, the default there |
///
/// ```
/// use toolgate_kernels::Seed;
///
/// assert_eq!(Seed::from_name("sma"), Some(Seed::Sma));
/// assert_eq!(Seed::Adjusted.name(), "adjusted");
/// ```
#[non_exhaustive]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Seed {
    /// The sum of the first n values, taken from left to right in f64, divided by n.
    /// (So the seed of a constant that binary cannot hold may be its neighbour. Should
    /// the sum of finite values overflow, it is taken at 2^-20 of the scale.)
    Sma,
    /// The first value.
    First,
    /// The mean with weights `(1-a)^k` for the value k bars ago, over those there are.
    Adjusted,
}

impl Seed {
    /// All seeds.
    ///
    /// ```
    /// use toolgate_kernels::Seed;
    ///
    /// let names = Seed::ALL.map(Seed::name);
    /// assert_eq!(names, ["sma", "first", "adjusted"]);
    /// ```
    pub const ALL: [Self; 3] = [Self::Sma, Self::First, Self::Adjusted];

    /// The name in a plan.
    ///
    /// ```
    /// assert_eq!(toolgate_kernels::Seed::First.name(), "first");
    /// ```
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Sma => "sma",
            Self::First => "first",
            Self::Adjusted => "adjusted",
        }
    }

    /// The seed of a name in a plan.
    ///
    /// ```
    /// assert_eq!(toolgate_kernels::Seed::from_name("wilder"), None);
    /// ```
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|seed| seed.name() == name)
    }

    const fn id(self) -> u8 {
        match self {
            Self::Sma => 0,
            Self::First => 1,
            Self::Adjusted => 2,
        }
    }
}

/// The exponential moving average, in the unfused difference form.
///
/// | | |
/// |---|---|
/// | formula | `y = y + a * (x - y)`, with `a = 2 / (n + 1)` rounded once |
/// | with [`Seed::Adjusted`] | `w = w * (1 - a) + 1`, then `y = y + (x - y) / w` |
/// | warm-up | n - 1 bars with [`Seed::Sma`], none with the others |
/// | exactness | exactly these operations, each rounded once, none fused; for n = 1 the value itself |
/// | depends on | every value since the start, the older the less |
///
/// The difference form keeps a constant series constant, which the form
/// `a * x + (1 - a) * y` does not, and its bits are those of TA-Lib's C code. Where
/// `x - y` overflows, `(1 - a) * y + a * x` is taken, so finite values always give a
/// finite average.
///
/// The state has 44 bytes.
///
/// ```
/// use toolgate_kernels::{Ema, Kernel, Numbers, Seed};
///
/// let mut ema = Ema::new(3, Seed::Sma)?;
/// let mut out = Numbers::default();
/// ema.push_slice(&[1.0, 2.0, 3.0, 4.0], &mut out)?;
/// assert_eq!(out.iter().collect::<Vec<_>>(), [None, None, Some(2.0), Some(3.0)]);
/// # Ok::<(), toolgate_kernels::Error>(())
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Ema {
    period: u32,
    seed: Seed,
    bars: u64,
    /// The average; while seeding with the mean, the sum so far; 0 before the first bar.
    y: f64,
    /// The sum of the weights; 0 unless adjusted.
    weight: f64,
    /// Whether `y` is a sum at [`DOWN_SCALE`].
    scaled: bool,
}

/// Small enough that the sum of a million finite values stays finite.
const DOWN_SCALE: f64 = 1.0 / 1_048_576.0;

impl Ema {
    pub(crate) const TAG: KernelTag = KernelTag {
        id: 2,
        name: Self::NAME,
        revision: Self::REVISION,
    };

    /// An average of `period` bars that starts from `seed`.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidParameter`] if `period` is 0 or over
    /// [`MAX_PERIOD`](crate::MAX_PERIOD).
    ///
    /// ```
    /// use toolgate_kernels::{Ema, Kernel, Seed};
    ///
    /// assert_eq!(Ema::new(26, Seed::Sma)?.warm_up(), 25);
    /// assert_eq!(Ema::new(26, Seed::First)?.warm_up(), 0);
    /// # Ok::<(), toolgate_kernels::Error>(())
    /// ```
    pub fn new(period: u32, seed: Seed) -> Result<Self, Error> {
        Ok(Self::of_checked(period::check(period)?, seed))
    }

    pub(crate) const fn of_checked(period: u32, seed: Seed) -> Self {
        Self {
            period,
            seed,
            bars: 0,
            y: 0.0,
            weight: 0.0,
            scaled: false,
        }
    }

    /// The period, in bars.
    ///
    /// ```
    /// use toolgate_kernels::{Ema, Seed};
    ///
    /// assert_eq!(Ema::new(12, Seed::First)?.period(), 12);
    /// # Ok::<(), toolgate_kernels::Error>(())
    /// ```
    #[must_use]
    pub fn period(&self) -> u32 {
        self.period
    }

    /// How it started.
    ///
    /// ```
    /// use toolgate_kernels::{Ema, Seed};
    ///
    /// assert_eq!(Ema::new(12, Seed::First)?.seed(), Seed::First);
    /// # Ok::<(), toolgate_kernels::Error>(())
    /// ```
    #[must_use]
    pub fn seed(&self) -> Seed {
        self.seed
    }

    /// `a`
    fn smoothing(&self) -> f64 {
        2.0 / (f64::from(self.period) + 1.0)
    }

    /// The result at the last bar taken.
    pub(crate) fn last(&self) -> Option<f64> {
        (self.bars > self.warm_up()).then_some(self.y)
    }

    /// The bytes of a state.
    pub(crate) const fn state_bytes() -> u64 {
        state::kernel_state_bytes(2)
    }

    /// Takes finite values and appends the averages past the warm-up.
    pub(crate) fn extend(&mut self, xs: &[f64], averages: &mut Vec<f64>) {
        let seeding = match self.seed {
            Seed::Sma => u64::from(self.period),
            Seed::First | Seed::Adjusted => 1,
        };
        let left = usize::try_from(seeding.saturating_sub(self.bars)).unwrap_or(usize::MAX);
        let (first, rest) = xs.split_at(left.min(xs.len()));
        for x in first {
            averages.extend(self.take(*x));
        }
        let a = self.smoothing();
        let mut y = self.y;
        if self.period == 1 {
            averages.extend_from_slice(rest);
            y = rest.last().copied().unwrap_or(y);
        } else if self.seed == Seed::Adjusted {
            let mut weight = self.weight;
            averages.extend(rest.iter().map(|x| {
                weight = weight * (1.0 - a) + 1.0;
                y = toward_by_weight(y, *x, weight);
                y
            }));
            self.weight = weight;
        } else {
            averages.extend(rest.iter().map(|x| {
                y = toward(y, *x, a);
                y
            }));
        }
        self.y = y;
        self.bars += rest.len() as u64;
    }

    /// Takes one finite value.
    fn take(&mut self, x: f64) -> Option<f64> {
        let a = self.smoothing();
        self.bars += 1;
        match self.seed {
            Seed::Sma if self.bars < u64::from(self.period) => self.add_to_sum(x),
            Seed::Sma if self.bars == u64::from(self.period) => {
                self.add_to_sum(x);
                let mean = self.y / f64::from(self.period);
                self.y = if self.scaled {
                    // In case that rounding carries the mean past the largest value.
                    (mean / DOWN_SCALE).clamp(-f64::MAX, f64::MAX)
                } else {
                    mean
                };
                self.scaled = false;
            }
            Seed::First if self.bars == 1 => self.y = x,
            Seed::Adjusted => {
                self.weight = self.weight * (1.0 - a) + 1.0;
                // The first value has all the weight; so has every value for n = 1.
                let alone = self.bars == 1 || self.period == 1;
                self.y = if alone {
                    x
                } else {
                    toward_by_weight(self.y, x, self.weight)
                };
            }
            Seed::Sma | Seed::First => {
                self.y = if self.period == 1 {
                    x
                } else {
                    toward(self.y, x, a)
                };
            }
        }
        self.last()
    }

    fn add_to_sum(&mut self, x: f64) {
        if !self.scaled {
            let sum = self.y + x;
            if sum.is_finite() {
                self.y = sum;
                return;
            }
            self.scaled = true;
            self.y *= DOWN_SCALE;
        }
        self.y += x * DOWN_SCALE;
    }
}

/// `y + a * (x - y)`
#[inline]
fn toward(y: f64, x: f64, a: f64) -> f64 {
    let difference = x - y;
    if difference.is_finite() {
        y + a * difference
    } else {
        (1.0 - a) * y + a * x
    }
}

/// `y + (x - y) / weight`
#[inline]
fn toward_by_weight(y: f64, x: f64, weight: f64) -> f64 {
    let difference = x - y;
    if difference.is_finite() {
        y + difference / weight
    } else {
        (1.0 - 1.0 / weight) * y + x / weight
    }
}

impl Kernel for Ema {
    const NAME: &'static str = "ema";
    const REVISION: u16 = 1;

    type Input = f64;
    type Slice<'a> = &'a [f64];
    type Output = f64;
    type Column = Numbers;

    fn push(&mut self, input: f64) -> Result<Option<f64>, Error> {
        check_finite("input", &[input])?;
        Ok(self.take(input))
    }

    fn push_slice(&mut self, inputs: &[f64], out: &mut Numbers) -> Result<(), Error> {
        check_finite("input", inputs)?;
        let warming = self.warm_up().saturating_sub(self.bars);
        out.extend_warming(
            usize::try_from(warming)
                .unwrap_or(usize::MAX)
                .min(inputs.len()),
        );
        out.extend_with(|averages| self.extend(inputs, averages));
        Ok(())
    }

    fn peek(&self, input: f64) -> Result<Option<f64>, Error> {
        let mut copy = *self;
        copy.push(input)
    }

    fn bars(&self) -> u64 {
        self.bars
    }

    fn warm_up(&self) -> u64 {
        match self.seed {
            Seed::Sma => u64::from(self.period) - 1,
            Seed::First | Seed::Adjusted => 0,
        }
    }

    fn snapshot_into(&self, out: &mut Vec<u8>) {
        let head = Head {
            option: self.seed.id(),
            flags: u8::from(self.scaled),
            period: self.period,
            bars: self.bars,
        };
        state::write_kernel(out, Self::TAG, head, [self.y, self.weight].into_iter());
    }

    fn restore(bytes: &[u8]) -> Result<Self, Error> {
        let (head, mut reader) = state::read_kernel(bytes, Self::TAG)?;
        let Some(seed) = Seed::ALL.into_iter().find(|seed| seed.id() == head.option) else {
            return Err(corrupt(
                10,
                "an unknown seed",
                "0 (sma), 1 (first) or 2 (adjusted)",
            ));
        };
        if period::check(head.period).is_err() {
            return Err(corrupt(12, "a period out of range", period::PERIOD_RANGE));
        }
        let summing = seed == Seed::Sma && head.bars > 0 && head.bars < u64::from(head.period);
        if head.flags > u8::from(summing) {
            return Err(corrupt(
                11,
                "a flag",
                "0, or 1 for a scaled sum while seeding",
            ));
        }
        let at = reader.at();
        let y = reader.number()?;
        let weight = reader.number()?;
        reader.end()?;
        if head.bars == 0 && y.to_bits() != 0 {
            return Err(corrupt(at, "a number before the first bar", "0"));
        }
        let ema = Self {
            period: head.period,
            seed,
            bars: head.bars,
            y,
            weight,
            scaled: head.flags == 1,
        };
        if !ema.has_valid_weight() {
            return Err(corrupt(
                at + 8,
                "an impossible weight",
                "the sum of the weights so far",
            ));
        }
        Ok(ema)
    }
}

impl Ema {
    /// The weight is 0 unless adjusted, 1 after one bar, and then grows to 1/a at most
    /// (a few roundings aside).
    fn has_valid_weight(&self) -> bool {
        if self.seed != Seed::Adjusted || self.bars == 0 {
            return self.weight.to_bits() == 0;
        }
        if self.bars == 1 || self.period == 1 {
            return self.weight == 1.0;
        }
        self.weight > 1.0 && self.weight <= 1.000_001 / self.smoothing()
    }
}
