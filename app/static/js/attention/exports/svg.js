/** A figure as vectors that any drawing program opens. */

// Where letters stand on a line of text whose middle is given, in sizes of the type.
const BASELINE = 0.35;

// XML knows no other control characters, and no halves of surrogate pairs.
const CONTROLS = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g;
const HALVES = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

const ENTITIES = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
  "\r": "&#13;",
};

/**
 * @param {object} figure
 * @param {number} figure.width in CSS pixels
 * @param {number} figure.height in CSS pixels
 * @param {string} figure.title
 * @param {object[]} figure.marks of marks.js
 * @returns {string} a whole SVG file
 */
export function svgOf({ width, height, title, marks }) {
  const size = attributes({ width, height, viewBox: `0 0 ${number(width)} ${number(height)}` });
  const names = 'xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"';
  const body = marks.map((mark) => WRITERS[mark.kind](mark)).join("\n");
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<svg ${names}${size} role="img">`,
    `<title>${escaped(title)}</title>`,
    body,
    "</svg>\n",
  ].join("\n");
}

/** Text of a reader as text of XML; what XML cannot hold becomes a replacement sign. */
export function escaped(text) {
  const allowed = text.replace(CONTROLS, "\ufffd").replace(HALVES, "\ufffd");
  return allowed.replace(/[&<>"'\r]/g, (sign) => ENTITIES[sign]);
}

const WRITERS = {
  text({ x, y, text, anchor, colour, size, family, bold, angle, tail, ...mark }) {
    const given = {
      x,
      y: y + BASELINE * size,
      fill: colour,
      "font-family": family,
      "font-size": size,
      "font-weight": bold ? "bold" : undefined,
      "text-anchor": anchor === "start" ? undefined : anchor,
      transform: angle ? `rotate(${number(angle)} ${number(x)} ${number(y)})` : undefined,
      "xml:space": "preserve",
    };
    const plain = { fill: tail?.colour, "font-weight": "normal" };
    const more = tail ? element("tspan", plain, {}, escaped(tail.text)) : "";
    return element("text", given, mark, escaped(text) + more);
  },
  curve({ x1, y1, x2, y2, colour, width, alpha, ...mark }) {
    const middle = (x1 + x2) / 2;
    const points = [x1, y1, middle, y1, middle, y2, x2, y2].map(number);
    const path = `M${points.slice(0, 2)} C${points.slice(2)}`;
    const stroke = { stroke: colour, "stroke-width": width, "stroke-opacity": alpha };
    return element("path", { d: path, fill: "none", ...stroke }, mark);
  },
  rect({ x, y, width, height, fill, stroke, thickness = 1, radius, ...mark }) {
    const place = { x, y, width, height, rx: radius || undefined };
    const outline = stroke && { stroke, "stroke-width": thickness };
    return element("rect", { ...place, fill: fill ?? "none", ...outline }, mark);
  },
  image({ x, y, width, height, canvas, part, ...mark }) {
    const given = {
      x,
      y,
      width,
      height,
      preserveAspectRatio: "none",
      style: "image-rendering:pixelated",
      "xlink:href": cut(canvas, part).toDataURL("image/png"),
    };
    return element("image", given, mark);
  },
  ramp({ x, y, width, height, colours, ...mark }) {
    const stops = colours.map((colour, place) =>
      element("stop", { offset: place / (colours.length - 1), "stop-color": colour }, {}),
    );
    const gradient = `<defs><linearGradient id="ramp">${stops.join("")}</linearGradient></defs>`;
    return gradient + element("rect", { x, y, width, height, fill: "url(#ramp)" }, mark);
  },
};

function element(name, given, { title, weight }, text = "") {
  const words = title === undefined ? "" : `<title>${escaped(title)}</title>`;
  const content = words + text;
  // All digits: a drawing is rounded, a weight is not.
  const exact = weight === undefined ? "" : ` data-weight="${weight}"`;
  const start = `<${name}${attributes(given)}${exact}`;
  return content ? `${start}>${content}</${name}>` : `${start}/>`;
}

function attributes(given) {
  return Object.entries(given)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => {
      const text = typeof value === "number" ? number(value) : escaped(value);
      return ` ${name}="${text}"`;
    })
    .join("");
}

function number(value) {
  return String(Math.round(value * 1000) / 1000);
}

function cut(canvas, part) {
  if (!part) return canvas;
  const piece = document.createElement("canvas");
  piece.width = part.width;
  piece.height = part.height;
  piece.getContext("2d").drawImage(canvas, -part.x, -part.y);
  return piece;
}
