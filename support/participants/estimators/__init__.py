"""EstimateGain: from what participants answer to what options are worth to them."""
