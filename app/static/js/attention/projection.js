/**
 * What the reader makes of a set of maps before it is drawn: pieces merged into words, special
 * tokens hidden, one sentence looking at another, the sink masked. Rows and columns become groups
 * of tokens; weights are never renormalised.
 */

// Rows from one sentence, columns from another.
const SEGMENTS = { aa: [0, 0], ab: [0, 1], ba: [1, 0], bb: [1, 1] };

const known = new WeakMap();

/**
 * The projection of a set under some settings; for the same two the same object.
 *
 * @param {import("./map_set.js").MapSet} mapSet
 * @param {object} values settings
 * @returns {Projection}
 */
export function projectionOf(mapSet, values) {
  const { specials = true, merge = false, part = "", sink = false } = values;
  const name = [specials, merge, part, sink].join();
  if (!known.has(mapSet)) known.set(mapSet, new Map());
  const projections = known.get(mapSet);
  if (!projections.has(name)) projections.set(name, new Projection(mapSet, values));
  return projections.get(name);
}

/**
 * One row or column of the picture.
 *
 * @typedef {object} Group
 * @property {number[]} tokens positions in the text, in order
 * @property {string} label
 * @property {boolean} special
 */

/** A set of maps as the reader wants to see it. */
export class Projection {
  /**
   * @param {import("./map_set.js").MapSet} mapSet
   * @param {object} values settings
   * @param {boolean} [values.specials] whether tokens such as [CLS] are shown
   * @param {boolean} [values.merge] whether the pieces of a word become one
   * @param {string} [values.part] "" for all, else which sentence looks at which: "ab" from the
   *   first to the second
   * @param {boolean} [values.sink] whether the key on which most of a head falls reads as 0
   */
  constructor(mapSet, { specials = true, merge = false, part = "", sink = false }) {
    this.mapSet = mapSet;
    this.masksSink = sink;
    const [rowSide, columnSide] = sidesOf(mapSet).map((side) => groupsOf(side, merge));
    const [rowPart, columnPart] = partOf(rowSide, columnSide, part);
    /** @type {Group[]} */
    this.rows = specials ? rowPart : withoutSpecials(rowPart);
    /** @type {Group[]} */
    this.columns = specials ? columnPart : withoutSpecials(columnPart);
    this.rowOfToken = placesOf(this.rows, mapSet.queries);
    this.columnOfToken = placesOf(this.columns, mapSet.keys);
    // Every group one token and every token one group: then they are in order, too.
    this.isUngrouped =
      this.rows.length === mapSet.queries && this.columns.length === mapSet.keys;
    /** True where rows, columns and weights are those of the set itself. */
    this.isIdentity = this.isUngrouped && !sink;
    this.largest = new Map();
  }

  /**
   * The weights of one row: the sum over the keys of a column, the mean over the queries of the
   * row; 0 in a masked sink. Only of layers that `mapSet.hasLayer`.
   *
   * @param {number} layer
   * @param {number} head
   * @param {number} row index into `rows`
   * @param {Float32Array} [weights] where they are written, one place a column
   * @returns {Float32Array}
   */
  row(layer, head, row, weights = new Float32Array(this.columns.length)) {
    const { mapSet, columnOfToken } = this;
    const { tokens } = this.rows[row];
    if (!this.isUngrouped) weights.fill(0);
    for (const query of tokens) {
      const { levels, unit: step } = mapSet.known(layer, head, query);
      const unit = step / tokens.length;
      if (this.isUngrouped) {
        for (let key = 0; key < levels.length; key += 1) weights[key] = levels[key] * unit;
        continue;
      }
      for (let key = 0; key < levels.length; key += 1) {
        const column = columnOfToken[key];
        if (column >= 0) weights[column] += levels[key] * unit;
      }
    }
    const sink = this.sinkColumn(layer, head);
    if (sink >= 0) weights[sink] = 0;
    return weights;
  }

  /** True where the weights of a row are known as the model computed them. */
  isExact(layer, head, row) {
    return this.rows[row].tokens.every((query) => this.mapSet.isExact(layer, head, query));
  }

  /**
   * Exact rows brought into the same columns; a sink keeps its weight.
   *
   * @param {Float32Array[]} rows those of all tokens of one row, each over all keys
   * @returns {Float32Array} one weight a column
   */
  project(rows) {
    const weights = new Float64Array(this.columns.length);
    for (const row of rows) {
      row.forEach((weight, key) => {
        const column = this.columnOfToken[key];
        if (column >= 0) weights[column] += weight / rows.length;
      });
    }
    return Float32Array.from(weights);
  }

  /** Largest weight of a row. */
  largestOfRow(layer, head, row) {
    if (this.isIdentity) return this.mapSet.scales[this.mapSet.rowIndex(layer, head, row)];
    return this.#largestOf(layer, head).rows[row];
  }

  /** Largest weight of a head. */
  largestOfHead(layer, head) {
    if (this.isIdentity) return this.mapSet.largestOfHead(layer, head);
    return this.#largestOf(layer, head).best?.weight ?? 0;
  }

  /**
   * The largest weight of a head with its place; null for a head without any weight, and for a
   * layer that is not here where its place would have to be looked for.
   *
   * @returns {{row: number, column: number, weight: number} | null}
   */
  strongestOfHead(layer, head) {
    if (!this.isIdentity) {
      return this.mapSet.hasLayer(layer) ? this.#largestOf(layer, head).best : null;
    }
    const best = this.mapSet.strongestOfHead(layer, head);
    return best && { row: best.query, column: best.key, weight: best.weight };
  }

  /** True where a row may attend to nothing. */
  isRowMasked(row) {
    return this.rows[row].tokens.every((query) => this.mapSet.isRowMasked(query));
  }

  /** True where a row may see nothing of a column; a masked sink does not count. */
  isCellMasked(row, column) {
    const { mapSet } = this;
    const { tokens } = this.columns[column];
    return this.rows[row].tokens.every((query) =>
      tokens.every((key) => mapSet.isCellMasked(query, key)),
    );
  }

  /** True where a column is the masked sink of a head. */
  isSink(layer, head, column) {
    return this.sinkColumn(layer, head) === column;
  }

  /** The column of the masked sink of a head; -1 where none is masked or it is hidden. */
  sinkColumn(layer, head) {
    if (!this.masksSink) return -1;
    return this.columnOf(this.mapSet.sinkOf(layer, head).key);
  }

  /** The row in which a token stands; -1 where it is hidden. */
  rowOf(token) {
    return this.rowOfToken[token] ?? -1;
  }

  /** The column in which a token stands; -1 where it is hidden. */
  columnOf(token) {
    return this.columnOfToken[token] ?? -1;
  }

  /** Largest weights of a head, looked for once. */
  #largestOf(layer, head) {
    const place = layer * this.mapSet.heads + head;
    if (!this.largest.has(place)) this.largest.set(place, this.#findLargest(layer, head));
    return this.largest.get(place);
  }

  #findLargest(layer, head) {
    const weights = new Float32Array(this.columns.length);
    const rows = new Float32Array(this.rows.length);
    let best = null;
    for (let row = 0; row < rows.length; row += 1) {
      this.row(layer, head, row, weights);
      for (let column = 0; column < weights.length; column += 1) {
        const weight = weights[column];
        if (weight > rows[row]) rows[row] = weight;
        if (weight > (best ? best.weight : 0)) best = { row, column, weight };
      }
    }
    return { rows, best };
  }
}

/** What is known of the tokens of rows, and of those of columns. */
function sidesOf(mapSet) {
  return [
    {
      tokens: mapSet.queryTokens,
      special: mapSet.querySpecial,
      words: mapSet.queryWords,
      spellings: mapSet.queryWordTexts,
      segments: mapSet.querySegments,
    },
    {
      tokens: mapSet.keyTokens,
      special: mapSet.keySpecial,
      words: mapSet.keyWords,
      spellings: mapSet.keyWordTexts,
      segments: mapSet.keySegments,
    },
  ];
}

/** Tokens in groups, each with the sentence it belongs to. */
function groupsOf({ tokens, special, words, spellings, segments }, merge) {
  const groups = [];
  tokens.forEach((token, position) => {
    const word = words[position];
    const segment = segments[position];
    const last = groups.at(-1);
    const isSpecial = special[position] === 1;
    const isWord = merge && word >= 0;
    if (isWord && last && word === last.word && segment === last.segment) {
      last.tokens.push(position);
      last.special = last.special && isSpecial;
      return;
    }
    const label = isWord ? spellings[word] : token;
    groups.push({ tokens: [position], label, special: isSpecial, word, segment });
  });
  return groups;
}

/** Rows of one sentence and columns of another; all where that would leave nothing. */
function partOf(rows, columns, part) {
  const wanted = SEGMENTS[part];
  if (!wanted) return [rows, columns];
  const kept = [rows, columns].map((groups, side) =>
    groups.filter(({ segment }) => segment === wanted[side]),
  );
  return kept.some((groups) => groups.length === 0) ? [rows, columns] : kept;
}

/** All where nothing but special tokens is there. */
function withoutSpecials(groups) {
  const kept = groups.filter(({ special }) => !special);
  return kept.length > 0 ? kept : groups;
}

/** The group of every token, -1 for none. */
function placesOf(groups, count) {
  const places = new Int32Array(count).fill(-1);
  groups.forEach(({ tokens }, index) => {
    for (const token of tokens) places[token] = index;
  });
  return places;
}
