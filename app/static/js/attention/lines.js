/** The lines of one head: from a chosen token to what it attends to, or all of them faintly. */

const version = new URL(import.meta.url).search;
const { formatWeight, fill, strongest } = await import(`./format.js${version}`);
const { prepareCanvas, shorten } = await import(`./dom.js${version}`);
const { nearestFirst, someOfColumn, wholeColumn } = await import(`./line_layout.js${version}`);

// In sizes of the root's type.
const TEXT = 0.8125;
const TIGHTEST = 1.125;
const WIDEST = 1.5;
const SIDE = 0.25;
const NUMBER = 3.25;
// In shares of the picture's width.
const WIDEST_COLUMN = 0.27;

const NUMBERED = 5;
const FAINTEST = 0.01;
// Of the largest weight of the row.
const FAINTEST_NUMBERED = 0.05;
const FAINTEST_OF_ALL = 0.05;
const MOST_LINES = 1500;
// More lines than this share their ink, so that a long text does not fill the picture.
const FULL_INK = 400;

/** Draws the lines and knows which token lies where. */
export class Lines {
  /** @param {HTMLCanvasElement} canvas */
  constructor(canvas) {
    this.canvas = canvas;
    this.columns = null;
  }

  /**
   * @param {object} scene
   * @param {import("./payload.js").MapSet} scene.mapSet
   * @param {object} scene.values settings
   * @param {object} scene.theme
   * @param {Record<string, string>} scene.strings
   * @param {{side: "query" | "key", index: number} | null} hovered
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
    this.columns = arrange(context, scene, weights, width, height);
    const key = hovered?.side === "key" ? hovered.index : null;
    if (weights) this.#drawChosen(context, scene, weights, key);
    else this.#drawAll(context, scene, key);
    this.#drawQueries(context, scene, hovered?.side === "query" ? hovered.index : null);
  }

  /** The token under a point. @returns {{side: "query" | "key", index: number} | null} */
  tokenAt(x, y) {
    if (!this.columns) return null;
    const side = x <= this.columns.left ? "query" : x >= this.columns.right ? "key" : null;
    if (!side) return null;
    const { rows, step } = this.columns[side];
    const row = rows.find((candidate) => Math.abs(candidate.y - y) <= step / 2);
    return row ? { side, index: row.index } : null;
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
    for (const row of this.columns.key.rows) {
      const weight = weights[row.index];
      const isHovered = row.index === hoveredKey;
      const isTop = top.has(row.index);
      if (!masked && from && (weight >= FAINTEST || isTop || isHovered)) {
        const strength = isHovered ? 1 : Math.min(0.25 + weight, 1);
        this.#curve(context, from.y, row.y, colours.line, 1 + 7 * weight, strength);
      }
      const unseen = mapSet.isCellMasked(token, row.index);
      const colour = isHovered || isTop ? colours.text : colours.muted;
      this.#keyText(context, mapSet, row, colour, unseen);
      if (unseen && isHovered) this.#number(context, theme, row, strings.masked, colours.muted);
      else if (isHovered || isTop) {
        this.#number(context, theme, row, formatWeight(weight, largest), colours.muted);
      }
    }
    this.#drawGaps(context, strings, theme);
  }

  #drawAll(context, { mapSet, values, theme }, hoveredKey) {
    const { query, key } = this.columns;
    const { colours } = theme;
    const lines = [];
    for (const row of query.rows) {
      if (mapSet.isRowMasked(row.index)) continue;
      const weights = mapSet.row(values.layer, values.head, row.index);
      for (let index = 0; index < weights.length; index += 1) {
        const wanted = hoveredKey === null || hoveredKey === index;
        if (wanted && weights[index] >= FAINTEST_OF_ALL) {
          lines.push({ from: row.y, to: key.rows[index].y, weight: weights[index] });
        }
      }
    }
    lines.sort((left, right) => left.weight - right.weight);
    const ink = Math.min(FULL_INK / lines.length, 1);
    for (const { from, to, weight } of lines.slice(-MOST_LINES)) {
      const strength = (0.06 + 0.4 * weight) * ink;
      this.#curve(context, from, to, colours.line, 0.75 + 2.25 * weight, strength);
    }
    const every = Math.ceil((TIGHTEST * theme.pixels) / key.step);
    for (const row of key.rows) {
      if (row.index % every !== 0 && row.index !== hoveredKey) continue;
      this.#keyText(context, mapSet, row, colours.muted, false);
    }
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
    context.save();
    context.globalAlpha = alpha;
    context.strokeStyle = colour;
    context.lineWidth = width;
    context.beginPath();
    context.moveTo(left, from);
    context.bezierCurveTo(middle, from, middle, to, right, to);
    context.stroke();
    context.restore();
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

  #number(context, theme, row, text, colour) {
    const font = context.font;
    context.font = `${TEXT * theme.pixels}px ${theme.font}`;
    context.textAlign = "right";
    context.fillStyle = colour;
    context.fillText(text, this.columns.width - SIDE * theme.pixels, row.y);
    context.font = font;
  }
}

/** Long texts keep what matters: the neighbours of the chosen token and the strongest keys. */
function arrange(context, { mapSet, values, theme, strings }, weights, width, height) {
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
  const most = width * WIDEST_COLUMN;
  return {
    width,
    side,
    numbers,
    left: side + Math.min(widestText(context, mapSet.queryTokens, query.gaps, strings), most),
    right: numbers - side - Math.min(widestText(context, mapSet.keyTokens, key.gaps, strings), most),
    query,
    key,
  };
}

function widestText(context, tokens, gaps, strings) {
  const texts = [...tokens, ...gaps.map((gap) => fill(strings.gap, gap))];
  return texts.reduce((widest, text) => Math.max(widest, context.measureText(text).width), 0);
}
