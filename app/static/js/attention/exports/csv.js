/** The weights of a view as a table: comma separated values after RFC 4180. */

import { commaSeparated } from "../../lib/files.js";
import { fill } from "../../lib/format.js";
import { faintest, FAINTEST_OF_ALL, FAINTEST_OF_ONE, linesOfHeads } from "../line_list.js";
import { isWhole, meanMap } from "../map_sources.js";
import { shownHeads } from "../overlay.js";
import { Refusal } from "./refusal.js";
import { EXACT, ROUNDED, writingOf } from "./writing.js";

// A spreadsheet opens as many lines, the heading among them.
const MOST_LINES = 1_048_576;

// As many tell every weight of 32 bits from its neighbours.
const DIGITS = 9;

const ENDS = ["query", "query_position", "key", "key_position"];

// Of a head without any weight.
const NOTHING = [null, null, null, null, null];

/**
 * Weights stand as the model computed them where all of those heads are exact; else with as many
 * digits as are known, and the heading says so.
 *
 * @param {"grid" | "heads" | "matrix" | "lines"} view
 * @param {object} scene its layer is here, except for the grid
 * @returns {string} the whole file; what is masked is an empty cell
 * @throws {Refusal} when a spreadsheet could not open it
 */
export function csvOf(view, scene) {
  return commaSeparated(TABLES[view](scene), DIGITS);
}

const TABLES = {
  /** Keys across, queries down; of several heads the mean. */
  matrix(scene) {
    const { projection, values } = scene;
    const { rows, columns } = projection;
    const { corner, write } = writingOf("matrix", scene);
    const map = meanMap(projection, values.layer, shownHeads(values));
    const sink = map.sinkColumn(values.layer, 0);
    const weights = new Float32Array(columns.length);
    const lines = rows.map(({ label }, row) => {
      map.read(values.layer, 0, row, weights, null);
      const largest = Math.max(...weights);
      const cells = columns.map((_, column) => {
        const isUnseen = column === sink || projection.isCellMasked(row, column);
        return isUnseen ? null : write(weights[column], largest);
      });
      return [label, ...cells];
    });
    return [[corner, ...columns.map(({ label }) => label)], ...lines];
  },

  /** Every head of the layer, one weight a line. */
  heads(scene) {
    const { mapSet, projection, strings, values } = scene;
    const { rows, columns } = projection;
    refuseBeyond(mapSet.heads * rows.length * columns.length, strings);
    const { heading, write } = writingOf("heads", scene);
    const lines = [["layer", "head", ...ENDS, heading]];
    const weights = new Float32Array(columns.length);
    for (let head = 0; head < mapSet.heads; head += 1) {
      for (let row = 0; row < rows.length; row += 1) {
        projection.row(values.layer, head, row, weights);
        const largest = Math.max(...weights);
        for (let column = 0; column < columns.length; column += 1) {
          const isUnseen =
            projection.isCellMasked(row, column) || projection.isSink(values.layer, head, column);
          const weight = isUnseen ? null : write(weights[column], largest);
          lines.push([values.layer, head, ...ends(projection, row, column), weight]);
        }
      }
    }
    return lines;
  },

  /** The lines that are drawn and, beyond what a picture can show, all others as strong. */
  lines(scene) {
    const { projection, strings, values } = scene;
    const chosen = values.token === null ? -1 : projection.rowOf(values.token);
    const least = faintest(values, chosen < 0 ? FAINTEST_OF_ALL : FAINTEST_OF_ONE);
    const all = linesOfHeads(projection, values.layer, shownHeads(values), least);
    const lines = all.filter(({ row }) => chosen < 0 || row === chosen).sort(inReadingOrder);
    refuseBeyond(lines.length, strings);
    const { heading, write } = writingOf("lines", scene);
    const cellsOf = ({ head, row, column, weight }) => [
      ...ends(projection, row, column),
      head,
      write(weight, projection.largestOfRow(values.layer, head, row)),
    ];
    return [[...ENDS, "head", heading], ...lines.map(cellsOf)];
  },

  /** One line a head: its largest weight, and the key on which most falls. */
  grid({ mapSet, projection }) {
    // The largest weight of a row comes as it is; sums and means of several do not.
    const { heading, write } = projection.isIdentity || !isWhole(projection) ? EXACT : ROUNDED;
    const sinkNames = ["sink_key", "sink_position", "sink_share"];
    const lines = [["layer", "head", ...ENDS, heading, ...sinkNames]];
    for (let layer = 0; layer < mapSet.layers; layer += 1) {
      for (let head = 0; head < mapSet.heads; head += 1) {
        const sink = mapSet.sinkOf(layer, head);
        const best = strongestPair(mapSet, projection, layer, head);
        lines.push([
          layer,
          head,
          ...(best ? [...best.ends, write(best.weight, best.weight)] : NOTHING),
          mapSet.keyTokens[sink.key],
          sink.key,
          sink.share,
        ]);
      }
    }
    return lines;
  },
};

/** What a row and a column are, and the positions of their first tokens. */
function ends({ rows, columns }, row, column) {
  const [query, key] = [rows[row], columns[column]];
  return [query.label, query.tokens[0], key.label, key.tokens[0]];
}

/** The grid of a long text shows it as it is: not all of its layers are here to be projected. */
function strongestPair(mapSet, projection, layer, head) {
  if (isWhole(projection)) {
    const best = projection.strongestOfHead(layer, head);
    return best && { ends: ends(projection, best.row, best.column), weight: best.weight };
  }
  const best = mapSet.strongestOfHead(layer, head);
  if (!best) return null;
  const { query, key, weight } = best;
  return { ends: [mapSet.queryTokens[query], query, mapSet.keyTokens[key], key], weight };
}

function inReadingOrder(one, other) {
  return one.head - other.head || one.row - other.row || one.column - other.column;
}

function refuseBeyond(count, strings) {
  if (count < MOST_LINES) return;
  throw new Refusal(fill(strings.exportTooLong, { count, most: MOST_LINES }));
}
