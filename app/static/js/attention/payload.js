/**
 * Reads the blob that `app/components/attention_payload.py` writes; its layout is described there.
 */

const MAGIC = "HLAM";
const VERSION = 1;
const PREAMBLE_BYTES = 12;
const LARGEST_BYTE = 255;

// For a blob too broken to bring the reader's own strings.
const SENTENCES = {
  wrongFormat: "the data is not an attention picture.",
  wrongVersion: "the data comes from another version of Headlight.",
  cutShort: "the data arrived incomplete.",
};

/** A blob that cannot be drawn; `reason` names the string that tells the reader why. */
export class PayloadError extends Error {
  /** @param {"wrongFormat" | "wrongVersion" | "cutShort"} reason */
  constructor(reason) {
    super(SENTENCES[reason]);
    this.reason = reason;
  }
}

/** The maps of one kind of attention, with weights read out row by row. */
export class MapSet {
  /**
   * @param {object} description entry of the header
   * @param {Uint8Array} body everything after the header
   */
  constructor(description, body) {
    this.name = description.name;
    this.label = description.label;
    this.layers = description.layers;
    this.heads = description.heads;
    this.queryTokens = description.queryTokens;
    this.keyTokens = description.keyTokens;
    this.querySpecial = description.querySpecial;
    this.keySpecial = description.keySpecial;
    this.queryLabel = description.queryLabel;
    this.keyLabel = description.keyLabel;
    this.queries = this.queryTokens.length;
    this.keys = this.keyTokens.length;
    const rows = this.layers * this.heads * this.queries;
    const scaleBytes = slice(body, description.scales, rows * 4);
    // A message may start at any byte; a view of four-byte numbers may not.
    this.scales = new Float32Array(scaleBytes.slice().buffer);
    this.levels = slice(body, description.levels, rows * this.keys);
    this.maskedRows = slice(body, description.maskedRows, this.queries);
    this.maskedCells =
      description.maskedCells === undefined
        ? null
        : slice(body, description.maskedCells, this.queries * this.keys);
  }

  /** Position of a row among all rows of the set. */
  rowIndex(layer, head, query) {
    return (layer * this.heads + head) * this.queries + query;
  }

  /** One row of bytes, 255 for the largest weight of the row. @returns {Uint8Array} */
  rowLevels(layer, head, query) {
    const start = this.rowIndex(layer, head, query) * this.keys;
    return this.levels.subarray(start, start + this.keys);
  }

  /** One row of weights. @returns {Float32Array} */
  row(layer, head, query) {
    const unit = this.scales[this.rowIndex(layer, head, query)] / LARGEST_BYTE;
    return Float32Array.from(this.rowLevels(layer, head, query), (level) => level * unit);
  }

  /** Largest weight of a head. */
  largestOfHead(layer, head) {
    const start = this.rowIndex(layer, head, 0);
    let largest = 0;
    for (let row = start; row < start + this.queries; row += 1) {
      largest = Math.max(largest, this.scales[row]);
    }
    return largest;
  }

  /** The largest weight of a head with its place. @returns {{query, key, weight} | null} */
  strongestOfHead(layer, head) {
    let best = null;
    for (let query = 0; query < this.queries; query += 1) {
      const weight = this.scales[this.rowIndex(layer, head, query)];
      if (weight > (best ? best.weight : 0)) best = { query, weight };
    }
    if (!best) return null;
    const levels = this.rowLevels(layer, head, best.query);
    return { ...best, key: levels.indexOf(LARGEST_BYTE) };
  }

  /** True where a query may attend to nothing. */
  isRowMasked(query) {
    return this.maskedRows[query] === 1;
  }

  /** True where this query may not see this key. */
  isCellMasked(query, key) {
    return (
      this.maskedRows[query] === 1 ||
      (this.maskedCells !== null && this.maskedCells[query * this.keys + key] === 1)
    );
  }
}

/**
 * Decode a blob.
 *
 * @param {unknown} data what Streamlit hands over
 * @returns {{sets: MapSet[], settings: object, strings: Record<string, string>}}
 * @throws {PayloadError} when the blob is of another kind or version, or incomplete
 */
export function decode(data) {
  if (!(data instanceof Uint8Array)) throw new PayloadError("wrongFormat");
  if (data.byteLength < PREAMBLE_BYTES) throw new PayloadError("cutShort");
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  const magic = String.fromCharCode(...data.subarray(0, 4));
  if (magic !== MAGIC) throw new PayloadError("wrongFormat");
  if (view.getUint32(4, true) !== VERSION) throw new PayloadError("wrongVersion");
  const bodyStart = PREAMBLE_BYTES + view.getUint32(8, true);
  if (bodyStart > data.byteLength) throw new PayloadError("cutShort");
  const text = new TextDecoder().decode(data.subarray(PREAMBLE_BYTES, bodyStart));
  const header = parse(text);
  const body = data.subarray(bodyStart);
  return {
    sets: header.sets.map((description) => new MapSet(description, body)),
    settings: header.settings,
    strings: header.strings,
  };
}

function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    throw new PayloadError("wrongFormat");
  }
}

function slice(body, offset, length) {
  if (offset + length > body.byteLength) throw new PayloadError("cutShort");
  return body.subarray(offset, offset + length);
}
