/** The rule by which a piece is drawn, as `core.decoding.sampling.next_token` has it. */

/**
 * With which probability each piece is drawn.
 *
 * Scores are sorted, so that what top-k and top-p keep is always a beginning of them. Four pieces
 * of the probabilities 0.5, 0.2, 0.2 and 0.1 become, with `topK` 2, 5/9, 2/9, 2/9 and 0 (the third
 * equals the second), and with `topP` 0.6, 5/7, 2/7, 0 and 0.
 *
 * @param {Float32Array} scores the largest first
 * @param {{temperature: number, topK: number, topP: number}} rule `temperature` 0 always takes the
 *   first piece; `topK` 0 keeps all
 * @returns {{values: Float64Array, kept: number}} probabilities; the first `kept` are not 0
 */
export function samplingOf(scores, { temperature, topK, topP }) {
  const values = new Float64Array(scores.length);
  if (temperature === 0) {
    values[0] = 1;
    return { values, kept: 1 };
  }
  let kept = scores.length;
  if (topK > 0 && topK < kept) {
    kept = topK;
    while (kept < scores.length && scores[kept] === scores[topK - 1]) kept += 1;
  }
  normalise(scores, temperature, kept, values);
  if (topP >= 1) return { values, kept };
  let before = 0;
  let few = 0;
  while (few < kept && before < topP) {
    before += values[few];
    few += 1;
  }
  values.fill(0, few);
  for (let at = 0; at < few; at += 1) values[at] /= before;
  return { values, kept: few };
}

/** The softmax over the first `count` scores, divided by the temperature. */
function normalise(scores, temperature, count, values) {
  let total = 0;
  for (let at = 0; at < count; at += 1) {
    values[at] = Math.exp((scores[at] - scores[0]) / temperature);
    total += values[at];
  }
  for (let at = 0; at < count; at += 1) values[at] /= total;
}

/** How many bits a draw is worth on average. */
export function entropyOf(values) {
  let bits = 0;
  for (const share of values) if (share > 0) bits -= share * Math.log2(share);
  return bits;
}

/** Sum of the first shares. */
export function massOf(values, count) {
  let sum = 0;
  for (let at = 0; at < count; at += 1) sum += values[at];
  return sum;
}

/**
 * The piece on which a number falls when the probabilities lie side by side from 0 to 1.
 *
 * @param {Float64Array} values
 * @param {number} number from 0 up to 1
 * @returns {number} its rank
 */
export function pieceAt(values, number) {
  let before = 0;
  let last = 0;
  for (let at = 0; at < values.length && values[at] > 0; at += 1) {
    before += values[at];
    last = at;
    if (number < before) break;
  }
  return last;
}
