/** Opens the blobs of `app/components/blob.py`: a JSON header, then arrays. */

const PREAMBLE_BYTES = 12;

/** A blob that cannot be read; `reason` names the sentence that tells the reader why. */
export class PayloadError extends Error {
  /** @param {"wrongFormat" | "wrongVersion" | "cutShort"} reason */
  constructor(reason) {
    super(reason);
    this.reason = reason;
  }
}

/**
 * Take a blob apart.
 *
 * @param {unknown} data what Streamlit hands over
 * @param {string} magic the four letters of the kind that is expected
 * @param {number} expected version
 * @returns {{header: object, body: Uint8Array}}
 * @throws {PayloadError} when the blob is of another kind or version, or incomplete
 */
export function openBlob(data, magic, expected) {
  if (!(data instanceof Uint8Array)) throw new PayloadError("wrongFormat");
  if (data.byteLength < PREAMBLE_BYTES) throw new PayloadError("cutShort");
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  const letters = String.fromCharCode(...data.subarray(0, 4));
  if (letters !== magic) throw new PayloadError("wrongFormat");
  if (view.getUint32(4, true) !== expected) throw new PayloadError("wrongVersion");
  const bodyStart = PREAMBLE_BYTES + view.getUint32(8, true);
  if (bodyStart > data.byteLength) throw new PayloadError("cutShort");
  const text = new TextDecoder().decode(data.subarray(PREAMBLE_BYTES, bodyStart));
  return { header: parse(text), body: data.subarray(bodyStart) };
}

/** Some bytes of the body; a view, not a copy. @returns {Uint8Array} */
export function slice(body, offset, length) {
  if (offset + length > body.byteLength) throw new PayloadError("cutShort");
  return body.subarray(offset, offset + length);
}

// A message may start at any byte; a view of longer numbers may not.

/** A copy of some four-byte numbers. @returns {Float32Array} */
export function floats(body, offset, count) {
  return new Float32Array(slice(body, offset, count * 4).slice().buffer);
}

/** A copy of some two-byte numbers. @returns {Uint16Array} */
export function shorts(body, offset, count) {
  return new Uint16Array(slice(body, offset, count * 2).slice().buffer);
}

function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    throw new PayloadError("wrongFormat");
  }
}
