/**
 * A picture as a list of marks, so that the screen, a PNG and an SVG show the same.
 *
 * - `{kind: "text", x, y, text, anchor: "start" | "middle" | "end", colour, size, family, bold,
 *   angle, tail}`: `y` is the middle of its letters; `angle` in degrees, clockwise, around (x, y);
 *   `tail` is a `{text, colour}` that goes on in plain type where a text from its start ends
 * - `{kind: "curve", x1, y1, x2, y2, colour, width, alpha}`: leaves and arrives level
 * - `{kind: "rect", x, y, width, height, fill, stroke, thickness, radius}`
 * - `{kind: "image", x, y, width, height, canvas, part}`: pixels that stay square; `part` is the
 *   `{x, y, width, height}` of the canvas that is shown, all of it when left out
 * - `{kind: "ramp", x, y, width, height, colours}`: a gradient from left to right
 *
 * A curve of an attention weight also has `line: {head, row, column, weight}`. A mark may have a
 * `title`, what a viewer shows for it, and a `weight`: both are kept in an SVG.
 */

/**
 * Draw marks.
 *
 * @param {CanvasRenderingContext2D} context in the pixels of the marks
 * @param {object[]} marks drawn in order
 */
export function paint(context, marks) {
  context.textBaseline = "middle";
  context.imageSmoothingEnabled = false;
  for (const mark of marks) PAINTERS[mark.kind](context, mark);
}

/** The value of a context's `font` for a text mark. */
export function fontOf({ size, family, bold }) {
  return `${bold ? "bold " : ""}${size}px ${family}`;
}

const PAINTERS = {
  text(context, mark) {
    context.font = fontOf(mark);
    context.textAlign = mark.anchor === "middle" ? "center" : mark.anchor;
    context.fillStyle = mark.colour;
    if (!mark.angle) {
      context.fillText(mark.text, mark.x, mark.y);
      if (mark.tail) drawTail(context, mark);
      return;
    }
    context.save();
    context.translate(mark.x, mark.y);
    context.rotate((mark.angle * Math.PI) / 180);
    context.fillText(mark.text, 0, 0);
    context.restore();
  },
  curve(context, { x1, y1, x2, y2, colour, width, alpha }) {
    const middle = (x1 + x2) / 2;
    context.globalAlpha = alpha;
    context.strokeStyle = colour;
    context.lineWidth = width;
    context.beginPath();
    context.moveTo(x1, y1);
    context.bezierCurveTo(middle, y1, middle, y2, x2, y2);
    context.stroke();
    context.globalAlpha = 1;
  },
  rect(context, { x, y, width, height, fill, stroke, thickness = 1, radius = 0 }) {
    context.fillStyle = fill;
    context.strokeStyle = stroke;
    context.lineWidth = thickness;
    if (radius === 0) {
      // As a path, edges between two pixels would come out softer.
      if (fill) context.fillRect(x, y, width, height);
      if (stroke) context.strokeRect(x, y, width, height);
      return;
    }
    context.beginPath();
    context.roundRect(x, y, width, height, radius);
    if (fill) context.fill();
    if (stroke) context.stroke();
  },
  image(context, { x, y, width, height, canvas, part }) {
    const from = part ?? { x: 0, y: 0, width: canvas.width, height: canvas.height };
    context.drawImage(canvas, from.x, from.y, from.width, from.height, x, y, width, height);
  },
  ramp(context, { x, y, width, height, colours }) {
    const gradient = context.createLinearGradient(x, 0, x + width, 0);
    colours.forEach((colour, place) => gradient.addColorStop(place / (colours.length - 1), colour));
    context.fillStyle = gradient;
    context.fillRect(x, y, width, height);
  },
};

function drawTail(context, { x, y, text, tail, ...type }) {
  const end = x + context.measureText(text).width;
  context.font = fontOf({ ...type, bold: false });
  context.fillStyle = tail.colour;
  context.fillText(tail.text, end, y);
}
