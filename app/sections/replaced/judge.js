/** Verdicts and counts: what the model says at a threshold, beside the truth. */

/**
 * @typedef {object} Token
 * @property {string} piece
 * @property {number | null} word
 * @property {boolean} special
 * @property {number | null} probability that it was replaced
 * @property {boolean | null} truth
 * @property {number | null} nats
 * @property {string} was
 * @property {boolean} drawn_again
 */

/** What is said of a token at a threshold. @returns {string} a verdict's name, "" for none */
export function verdictOf({ probability, truth, drawn_again: again }, threshold) {
  if (probability === null) return "";
  const suspected = probability > threshold;
  if (truth === null) return suspected ? "suspected" : "";
  if (truth) return suspected ? "found" : "missed";
  if (suspected) return "alarm";
  return again ? "same" : "";
}

/** Tokens that a person typed, counted by what is said of them. Special ones are left out. */
export function countTokens(tokens, threshold) {
  const judged = tokens.filter((one) => !one.special && one.probability !== null);
  const isA = (verdict) => judged.filter((one) => verdictOf(one, threshold) === verdict).length;
  const replaced = judged.filter((one) => one.truth).length;
  const [found, alarms] = [isA("found"), isA("alarm")];
  return {
    all: judged.length,
    replaced,
    found,
    alarms,
    suspected: isA("suspected"),
    right: judged.length - (replaced - found) - alarms,
    base: judged.length - replaced,
    known: judged.some((one) => one.truth !== null),
  };
}

/**
 * The words of a sentence; one is replaced, or suspected, if any of its tokens is.
 *
 * @returns {Map<number, {replaced: boolean, suspected: boolean}>} by their numbers
 */
export function wordsOf(tokens, threshold) {
  const words = new Map();
  for (const { word, probability, truth } of tokens) {
    if (word === null) continue;
    const known = words.get(word) ?? { replaced: false, suspected: false };
    words.set(word, {
      replaced: known.replaced || truth === true,
      suspected: known.suspected || (probability !== null && probability > threshold),
    });
  }
  return words;
}

/** One sentence's round: what the reader and the model found. */
export function roundOf(tokens, threshold, marked) {
  const words = [...wordsOf(tokens, threshold)];
  const score = (says) => ({
    found: words.filter(([number, one]) => one.replaced && says(number, one)).length,
    alarms: words.filter(([number, one]) => !one.replaced && says(number, one)).length,
  });
  return {
    words: words.length,
    replaced: words.filter(([, one]) => one.replaced).length,
    reader: score((number) => marked.includes(number)),
    model: score((_, one) => one.suspected),
  };
}

/** Several rounds added up, with who marks nothing for comparison. */
export function addUp(rounds) {
  const sum = (pick) => rounds.reduce((total, one) => total + pick(one), 0);
  const [words, replaced] = [sum((one) => one.words), sum((one) => one.replaced)];
  const player = (found, alarms) => ({
    found,
    alarms,
    points: found - alarms,
    right: words - (replaced - found) - alarms,
  });
  const of = (name) => player(sum((one) => one[name].found), sum((one) => one[name].alarms));
  return { words, replaced, players: [of("reader"), of("model"), player(0, 0)] };
}

const rounded = (value, digits) => Math.round(value * 10 ** digits) / 10 ** digits;

/**
 * Both losses step by step. Every step takes the rounded numbers of the one before, so that who
 * adds up what is shown comes to the same.
 *
 * @param {Token[]} tokens
 * @param {{nats: number}[]} samples
 * @param {number} weight of the discriminator's loss
 */
export function workedLosses(tokens, samples, weight) {
  const sumOf = (terms) => rounded(terms.reduce((total, one) => total + one, 0), 4);
  const masked = samples.map((one) => rounded(one.nats, 4));
  const counted = tokens.filter((one) => one.nats !== null);
  const of = (truth) => {
    const terms = counted.filter((one) => one.truth === truth).map((one) => rounded(one.nats, 4));
    return { terms, sum: sumOf(terms) };
  };
  const [replaced, original] = [of(true), of(false)];
  const sum = rounded(replaced.sum + original.sum, 4);
  const mean = rounded(sum / counted.length, 5);
  const weighted = rounded(weight * mean, 4);
  const maskedSum = sumOf(masked);
  const maskedMean = masked.length ? rounded(maskedSum / masked.length, 4) : null;
  return {
    masked: { terms: masked, sum: maskedSum, mean: maskedMean },
    replaced,
    original,
    count: counted.length,
    sum,
    mean,
    weighted,
    together: maskedMean === null ? null : rounded(maskedMean + weighted, 4),
  };
}
