//! What a model sends to have something computed: where the data is, and the logic.

use serde::{Deserialize, Serialize};
use toolgate_kernels::Plan;

use crate::echo;
use crate::error::Error;
use crate::locator::{Locator, check_length};

/// A locator and a plan. This is all that crosses the model's context: no row does.
///
/// ```
/// use toolgate_runtime::ComputeRequest;
///
/// let request = ComputeRequest::from_json(r#"{
///     "locator": {"source": "csv", "symbol": "aapl_1d"},
///     "plan": {
///         "inputs": ["close"],
///         "nodes": [{"id": "sma20", "kernel": "sma", "input": "close", "period": 20}],
///         "outputs": ["sma20"]
///     }
/// }"#)?;
/// assert_eq!(request.locator.symbol, "aapl_1d");
/// assert_eq!(request.plan.warm_up(), 19);
/// # Ok::<(), toolgate_runtime::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct ComputeRequest {
    /// Where the data is.
    pub locator: Locator,
    /// What to compute.
    pub plan: Plan,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Wire<'j> {
    locator: Locator,
    #[serde(borrow)]
    plan: &'j serde_json::value::RawValue,
}

impl ComputeRequest {
    /// Reads a request as a model writes it.
    ///
    /// # Errors
    /// [`Error::Request`] when it is not JSON of this shape or longer than
    /// [`MAX_REQUEST_JSON_BYTES`](crate::MAX_REQUEST_JSON_BYTES), or [`Error::Kernels`] when the
    /// plan is not valid; that error names the node and says what to write instead.
    pub fn from_json(json: &str) -> Result<Self, Error> {
        check_length(json)?;
        let wire: Wire<'_> = serde_json::from_str(json).map_err(|error| Error::Request {
            reason: echo::reason(&error.to_string()),
        })?;
        wire.locator.check()?;
        Ok(Self {
            locator: wire.locator,
            plan: Plan::from_json(wire.plan.get())?,
        })
    }

    /// The request as JSON, with the plan in its canonical form.
    ///
    /// # Errors
    /// [`Error::Request`] when it cannot be written as JSON, which no request that was
    /// read is.
    ///
    /// ```
    /// use toolgate_runtime::ComputeRequest;
    ///
    /// let request = ComputeRequest::from_json(r#"{
    ///     "plan": {"nodes": [{"id": "a", "kernel": "sma", "input": "close", "period": 20}],
    ///              "inputs": ["close"], "outputs": ["a"]},
    ///     "locator": {"source": "csv", "symbol": "aapl_1d"}
    /// }"#)?;
    /// let json = request.to_json()?;
    /// assert!(json.starts_with(r#"{"locator":{"source":"csv","symbol":"aapl_1d"},"plan":{"#));
    /// assert_eq!(ComputeRequest::from_json(&json)?, request);
    /// # Ok::<(), toolgate_runtime::Error>(())
    /// ```
    pub fn to_json(&self) -> Result<String, Error> {
        let fault = |error: serde_json::Error| Error::Request {
            reason: error.to_string(),
        };
        let plan = serde_json::from_str(self.plan.to_json()).map_err(fault)?;
        serde_json::to_string(&Wire {
            locator: self.locator.clone(),
            plan,
        })
        .map_err(fault)
    }
}
