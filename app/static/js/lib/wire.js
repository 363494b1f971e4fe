/** Reads the messages of `app/wire.py`, where their layout is described. */

const MAGIC = "WIRE";
const VERSION = 1;
const PREAMBLE_BYTES = 16;
const REFERENCE = "$array";

const TYPES = {
  int8: Int8Array,
  uint8: Uint8Array,
  int16: Int16Array,
  uint16: Uint16Array,
  int32: Int32Array,
  uint32: Uint32Array,
  float32: Float32Array,
  float64: Float64Array,
};

/** A message that cannot be read; `reason` names the sentence that tells the reader why. */
export class PayloadError extends Error {
  /** @param {"wrongFormat" | "wrongVersion" | "cutShort"} reason */
  constructor(reason) {
    super(reason);
    this.reason = reason;
  }
}

/**
 * Take a message apart.
 *
 * An array is a typed array in C order with a further property, `shape`. It is a view of the
 * message; only numbers of several bytes in a message at an odd address are copied.
 *
 * @param {unknown} data what Streamlit hands over
 * @returns {any} the value that Python packed
 * @throws {PayloadError} when the message is of another kind or version, or incomplete
 */
export function unpack(data) {
  if (!(data instanceof Uint8Array)) throw new PayloadError("wrongFormat");
  if (data.byteLength < PREAMBLE_BYTES) throw new PayloadError("cutShort");
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  const letters = String.fromCharCode(...data.subarray(0, MAGIC.length));
  if (letters !== MAGIC) throw new PayloadError("wrongFormat");
  if (view.getUint32(4, true) !== VERSION) throw new PayloadError("wrongVersion");
  const bodyStart = PREAMBLE_BYTES + view.getUint32(8, true);
  const end = bodyStart + view.getUint32(12, true);
  if (end > data.byteLength) throw new PayloadError("cutShort");
  if (end < data.byteLength) throw new PayloadError("wrongFormat");
  const body = data.subarray(bodyStart);
  try {
    const decoder = new TextDecoder("utf-8", { fatal: true });
    const text = decoder.decode(data.subarray(PREAMBLE_BYTES, bodyStart));
    return JSON.parse(text, (_, value) =>
      value !== null && Object.hasOwn(value, REFERENCE) ? arrayAt(value[REFERENCE], body) : value,
    );
  } catch (error) {
    throw error instanceof PayloadError ? error : new PayloadError("wrongFormat");
  }
}

/**
 * What stands at the first indices of an array: a view of the part with the remaining axes.
 *
 * @template {{shape: number[], subarray: Function}} Values
 * @param {Values} array
 * @param {...number} indices fewer than the array has axes
 * @returns {Values}
 */
export function partOf(array, ...indices) {
  const shape = array.shape.slice(indices.length);
  const part = indices.reduce((at, index, axis) => at * array.shape[axis] + index, 0);
  const count = sizeOf(shape);
  return Object.assign(array.subarray(part * count, (part + 1) * count), { shape });
}

function arrayAt([offset, dtype, shape], body) {
  const isCount = (number) => Number.isSafeInteger(number) && number >= 0;
  if (!Object.hasOwn(TYPES, dtype) || ![offset, ...shape].every(isCount)) {
    throw new PayloadError("wrongFormat");
  }
  const Values = TYPES[dtype];
  const count = sizeOf(shape);
  const length = count * Values.BYTES_PER_ELEMENT;
  if (offset + length > body.byteLength) throw new PayloadError("cutShort");
  const start = body.byteOffset + offset;
  // A message may start at any byte; a view of longer numbers may not.
  const values =
    start % Values.BYTES_PER_ELEMENT === 0
      ? new Values(body.buffer, start, count)
      : new Values(body.slice(offset, offset + length).buffer);
  return Object.assign(values, { shape });
}

function sizeOf(shape) {
  return shape.reduce((count, length) => count * length, 1);
}
