/** Colours and type as the style sheet resolves them, for what is drawn on a canvas. */

const COLOURS = ["text", "muted", "card", "hairline", "accent", "mark", "line", "masked"];

/**
 * Follow Streamlit's theme and read what follows from it.
 *
 * @param {HTMLElement} root
 * @returns {{dark: boolean, colours: Record<string, string>, font: string, monospace: string,
 *   pixels: number}} `pixels` is the root size of type
 */
export function readTheme(root) {
  const ground = getComputedStyle(root).getPropertyValue("--st-background-color").trim();
  const dark = isDark(ground);
  root.dataset.theme = dark ? "dark" : "light";
  const style = getComputedStyle(root);
  return {
    dark,
    colours: Object.fromEntries(
      COLOURS.map((name) => [name, style.getPropertyValue(`--${name}`).trim()]),
    ),
    font: style.fontFamily,
    monospace: style.getPropertyValue("--monospace").trim(),
    pixels: parseFloat(style.fontSize),
  };
}

const known = new Map(); // reading a pixel back takes as long as a small picture

function isDark(colour) {
  if (!known.has(colour)) known.set(colour, luminance(colour) < 128);
  return known.get(colour);
}

/** From 0 to 255. */
function luminance(colour) {
  const context = document.createElement("canvas").getContext("2d");
  context.fillStyle = "#ffffff";
  // A colour that cannot be read leaves the white.
  context.fillStyle = colour;
  context.fillRect(0, 0, 1, 1);
  const [red, green, blue] = context.getImageData(0, 0, 1, 1).data;
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
