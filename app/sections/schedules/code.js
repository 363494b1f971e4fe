/** The lines of Python that make a schedule: with `core`, which trains with it, and with torch. */

import { transformerWarmUp } from "./formulas.js";

const MILLION = 1e6;

const SHAPES = {
  constant: "CONSTANT",
  linear: "LINEAR",
  transformer: "INVERSE_ROOT",
  cosine: "COSINE",
  bert: "LINEAR",
};

/** A whole number as Python writes it: `100_000`. */
function whole(number) {
  return String(number).replace(/\B(?=(\d{3})+$)/g, "_");
}

/** A rate as Python writes it: `7e-4`. */
function rate(millionths) {
  const [digits, power] = (millionths / MILLION).toExponential().split("e");
  return `${digits}e${Number(power)}`;
}

/**
 * Lines that leave the learning rate of `step` in `rate`.
 *
 * @param {string} name of the schedule
 * @param {import("./formulas.js").Values} values `possible()` ones
 * @returns {string}
 */
export function coreLines(name, values) {
  const { total, warm, peak, model_width, period, growth } = values;
  const isTransformer = name === "transformer";
  const steps = name === "constant" || name === "linear" ? 0 : warm;
  const warmUp = isTransformer ? transformerWarmUp(values) : steps;
  const parts = [`Shape.${SHAPES[name]}`];
  parts.push(warmUp === 0 ? "warm_up=0.0" : `warm_up=${whole(warmUp)} / ${whole(total)}`);
  if (name === "cosine") {
    parts.push(`period=${whole(period)} / ${whole(total)}`);
    if (growth > 1) parts.push(`growth=${growth}`);
  }
  const names = ["Schedule", "Shape", ...(isTransformer ? ["transformer_peak"] : [])];
  const highest = isTransformer
    ? `transformer_peak(${whole(model_width)}, ${whole(warmUp)})`
    : rate(peak);
  return [
    `from core.training.schedules import ${names.join(", ")}`,
    `schedule = Schedule(${parts.join(", ")})`,
    `rate = ${highest} * schedule.factor(step / ${whole(total)})`,
  ].join("\n");
}

/**
 * Lines that give torch's optimiser the schedule; `schedule.step()` follows every step.
 *
 * @param {string} name of the schedule
 * @param {import("./formulas.js").Values} values `possible()` ones
 * @returns {string}
 */
export function torchLines(name, values) {
  const [names, made] = torchSchedule(name, values);
  const highest = name === "transformer" ? "1.0" : rate(values.peak);
  return [
    `from torch.optim.lr_scheduler import ${names.join(", ")}`,
    `optimiser = torch.optim.Adam(model.parameters(), lr=${highest})`,
    `schedule = ${made}`,
  ].join("\n");
}

function torchSchedule(name, values) {
  const { total, warm, model_width, period, growth } = values;
  if (name === "constant") return [["ConstantLR"], "ConstantLR(optimiser, factor=1.0)"];
  if (name === "linear") {
    return [["LinearLR"], `LinearLR(optimiser, 1.0, 0.0, total_iters=${whole(total)})`];
  }
  if (name === "transformer") {
    const steps = whole(transformerWarmUp(values));
    const smaller = `min(max(step, 1) ** -0.5, step * ${steps} ** -1.5)`;
    const formula = `${whole(model_width)} ** -0.5 * ${smaller}`;
    return [["LambdaLR"], `LambdaLR(optimiser, lambda step: ${formula})`];
  }
  if (name === "bert") {
    const down = `(${whole(total)} - step) / ${whole(total - warm)}`;
    const formula = warm === 0 ? down : `min(step / ${whole(warm)}, ${down})`;
    return [["LambdaLR"], `LambdaLR(optimiser, lambda step: ${formula})`];
  }
  const waves = `CosineAnnealingWarmRestarts(optimiser, T_0=${whole(period)}, T_mult=${growth})`;
  if (warm === 0) return [["CosineAnnealingWarmRestarts"], waves];
  const rise = `LambdaLR(optimiser, lambda step: step / ${whole(warm)})`;
  const names = ["CosineAnnealingWarmRestarts", "LambdaLR", "SequentialLR"];
  return [names, `SequentialLR(optimiser, [${rise}, ${waves}], milestones=[${whole(warm)}])`];
}
