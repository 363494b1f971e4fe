/** The lines of one head: from a chosen token to what it attends to, or all of them faintly. */

const version = new URL(import.meta.url).search;
const { formatWeight, fill, strongest } = await import(`./format.js${version}`);
const { prepareCanvas, shorten } = await import(`./dom.js${version}`);
const { lineAt, linesOfHead, tokenAt } = await import(`./line_list.js${version}`);
const { nearestFirst, someOfColumn, wholeColumn } = await import(`./line_layout.js${version}`);

// In sizes of the root's type.
const TEXT = 0.8125;
const TIGHTEST = 1.125;
const WIDEST = 1.9;
const SIDE = 0.25;
const NUMBER = 3.25;
// In shares of the picture's width.
const WIDEST_COLUMN = 0.27;

const NUMBERED = 5;
const FAINTEST = 0.01;
// Of the largest weight of the row.
const FAINTEST_NUMBERED = 0.05;
// More lines than this share their ink, so that a long text does not fill the picture.
const FULL_INK = 400;

/** Draws the lines and knows which token lies where. */
export class Lines {
  /** @param {HTMLCanvasElement} canvas */
  constructor(canvas) {
    this.canvas = canvas;
    this.columns = null;
    this.drawn = [];
    this.widths = new TextWidths();
  }

  /**
   * @param {object} scene
   * @param {import("./payload.js").MapSet} scene.mapSet
   * @param {object} scene.values settings
   * @param {object} scene.theme
   * @param {Record<string, string>} scene.strings
   * @param {{query?: number, key?: number} | null} hovered a token, or both ends of a line
   * @param {number} width room in CSS pixels
   * @param {number} height room in CSS pixels
   */
  draw(scene, hovered, width, height) {
    const { mapSet, values, theme } = scene;
    const context = prepareCanvas(this.canvas, width, height);
    const { token } = values;
    const weights = token === null ? null : mapSet.row(values.layer, values.head, token);
    context.font = `${TEXT * theme.pixels}px ${theme.monospace}`;
    context.textBaseline = "middle";
    const widths = this.widths.of(context, mapSet);
    this.columns = arrange(context, scene, weights, widths, width, height);
    if (weights) this.#drawChosen(context, scene, weights, hovered?.key);
    else this.#drawAll(context, scene, hovered);
    this.#drawQueries(context, scene, hovered?.query);
  }

  /**
   * What is under a point: a token, or the line nearest to it.
   *
   * @returns {{query?: number, key?: number} | null} both for a line
   */
  at(x, y) {
    if (!this.columns) return null;
    const { left, right } = this.columns;
    if (x > left && x < right) return lineAt(this.drawn, (x - left) / (right - left), y);
    const side = x <= left ? "query" : "key";
    const token = tokenAt(this.columns[side], y);
    return token === null ? null : { [side]: token };
  }

  /** Measure texts anew: their font has arrived late, under the same name. */
  remeasure() {
    this.widths.forget();
  }

  #drawChosen(context, { mapSet, values, theme, strings }, weights, hoveredKey) {
    const { layer, head, token } = values;
    const { colours } = theme;
    const masked = mapSet.isRowMasked(token);
    const from = this.columns.query.rows.find((row) => row.index === token);
    const largest = mapSet.scales[mapSet.rowIndex(layer, head, token)];
    const numbered = strongest(weights, NUMBERED).filter(
      (index) => weights[index] > FAINTEST_NUMBERED * largest,
    );
    const top = new Set(numbered);
    this.drawn = [];
    for (const row of this.columns.key.rows) {
      const weight = weights[row.index];
      const isHovered = row.index === hoveredKey;
      const isTop = top.has(row.index);
      if (!masked && from && (weight >= FAINTEST || isTop || isHovered)) {
        // The root lifts faint lines to what a projector still shows.
        const strength = isHovered ? 1 : 0.4 + 0.6 * Math.sqrt(weight);
        this.#curve(context, from.y, row.y, colours.line, 1.25 + 6.75 * weight, strength);
        this.drawn.push({ query: token, key: row.index, from: from.y, to: row.y, weight });
      }
      const unseen = mapSet.isCellMasked(token, row.index);
      const colour = isHovered || isTop ? colours.text : colours.muted;
      this.#keyText(context, mapSet, row, colour, unseen);
      if (unseen && isHovered) this.#number(context, theme, row, strings.masked);
      else if (isHovered || isTop) {
        this.#number(context, theme, row, formatWeight(weight, largest));
      }
    }
    this.#drawGaps(context, strings, theme);
  }

  #drawAll(context, { mapSet, values, theme }, hovered) {
    const { colours } = theme;
    const isLine = hovered?.query !== undefined && hovered.key !== undefined;
    const onlyKey = isLine ? undefined : hovered?.key;
    const lines = linesOfHead(mapSet, values, this.columns, onlyKey);
    const ink = Math.min(FULL_INK / lines.length, 1);
    for (const { from, to, weight } of lines) {
      const strength = (0.1 + 0.45 * weight) * ink;
      this.#curve(context, from, to, colours.line, 0.75 + 2.25 * weight, strength);
    }
    this.drawn = lines;
    const { key } = this.columns;
    const every = Math.ceil((TIGHTEST * theme.pixels) / key.step);
    for (const row of key.rows) {
      const isHovered = row.index === hovered?.key;
      if (row.index % every !== 0 && !isHovered) continue;
      this.#keyText(context, mapSet, row, isHovered ? colours.text : colours.muted, false);
    }
    const line = isLine && lines.find((one) => one.query === hovered.query && one.key === hovered.key);
    if (!line) return;
    this.#curve(context, line.from, line.to, colours.line, 1.25 + 6.75 * line.weight, 1);
    const largest = mapSet.scales[mapSet.rowIndex(values.layer, values.head, line.query)];
    this.#number(context, theme, key.rows[line.key], formatWeight(line.weight, largest));
  }

  #drawQueries(context, { mapSet, values, theme }, hoveredQuery) {
    const { colours } = theme;
    const { rows, step } = this.columns.query;
    const every = Math.ceil((TIGHTEST * theme.pixels) / step);
    context.textAlign = "right";
    for (const row of rows) {
      const isChosen = row.index === values.token;
      if (row.index % every !== 0 && !isChosen && row.index !== hoveredQuery) continue;
      context.fillStyle = colours.text;
      if (mapSet.querySpecial[row.index] || mapSet.isRowMasked(row.index)) {
        context.fillStyle = colours.muted;
      }
      if (isChosen || row.index === hoveredQuery) context.fillStyle = colours.accent;
      const font = context.font;
      if (isChosen) context.font = `bold ${font}`;
      const end = this.columns.left - this.columns.side;
      context.fillText(shorten(context, mapSet.queryTokens[row.index], end), end, row.y);
      context.font = font;
    }
  }

  #drawGaps(context, strings, theme) {
    const { query, key, left, right, side } = this.columns;
    const font = context.font;
    context.font = `${TEXT * theme.pixels}px ${theme.font}`;
    context.fillStyle = theme.colours.muted;
    context.textAlign = "right";
    for (const gap of query.gaps) {
      context.fillText(fill(strings.gap, gap), left - side, gap.y);
    }
    context.textAlign = "left";
    for (const gap of key.gaps) {
      context.fillText(fill(strings.gap, gap), right + side, gap.y);
    }
    context.font = font;
  }

  #curve(context, from, to, colour, width, alpha) {
    const { left, right } = this.columns;
    const middle = (left + right) / 2;
    context.globalAlpha = alpha;
    context.strokeStyle = colour;
    context.lineWidth = width;
    context.beginPath();
    context.moveTo(left, from);
    context.bezierCurveTo(middle, from, middle, to, right, to);
    context.stroke();
    context.globalAlpha = 1;
  }

  #keyText(context, mapSet, row, colour, unseen) {
    const { right, numbers } = this.columns;
    context.textAlign = "left";
    context.fillStyle = colour;
    const start = right + this.columns.side;
    const text = shorten(context, mapSet.keyTokens[row.index], numbers - start);
    context.fillText(text, start, row.y);
    if (!unseen) return;
    context.fillRect(start, row.y, context.measureText(text).width, 1);
  }

  #number(context, theme, row, text) {
    const font = context.font;
    context.font = `${TEXT * theme.pixels}px ${theme.font}`;
    context.textAlign = "right";
    context.fillStyle = theme.colours.muted;
    context.fillText(text, this.columns.width - SIDE * theme.pixels, row.y);
    context.font = font;
  }
}

/** Widest text of the rows and of the columns; measured once, for it takes a while. */
class TextWidths {
  constructor() {
    this.known = {};
  }

  of(context, { identity, queryTokens, keyTokens }) {
    const { font } = context;
    if (this.known.identity !== identity || this.known.font !== font) {
      const query = widest(context, queryTokens);
      const key = keyTokens === queryTokens ? query : widest(context, keyTokens);
      this.known = { identity, font, query, key };
    }
    return this.known;
  }

  forget() {
    this.known = {};
  }
}

/** Long texts keep what matters: the neighbours of the chosen token and the strongest keys. */
function arrange(context, { mapSet, values, theme, strings }, weights, widths, width, height) {
  const unit = theme.pixels;
  const tightest = TIGHTEST * unit;
  const column = (count, byInterest) =>
    weights === null || count * tightest <= height
      ? wholeColumn(count, height, tightest, WIDEST * unit)
      : someOfColumn(byInterest(), height, tightest * 1.1);
  const query = column(mapSet.queries, () => nearestFirst(values.token, mapSet.queries));
  const key = column(mapSet.keys, () => strongest(weights, mapSet.keys));
  const side = 2 * SIDE * unit;
  const numbers = width - NUMBER * unit;
  const room = (text, { gaps }) => {
    const notes = gaps.map((gap) => fill(strings.gap, gap));
    return Math.min(Math.max(text, widest(context, notes)), width * WIDEST_COLUMN);
  };
  return {
    width,
    side,
    numbers,
    left: side + room(widths.query, query),
    right: numbers - side - room(widths.key, key),
    query,
    key,
  };
}

function widest(context, texts) {
  return texts.reduce((most, text) => Math.max(most, context.measureText(text).width), 0);
}
