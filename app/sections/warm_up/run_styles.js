/** How the runs of one picture are told apart: by colour and by dashes. */

export const RUNS = {
  light: ["#3b4cca", "#b45309", "#0f766e", "#a21caf", "#14161f", "#7a5c00"],
  dark: ["#93a3ff", "#fbbf24", "#5eead4", "#f0abfc", "#f2f4fa", "#d6c27a"],
};
export const DASHES = [[], [7, 3], [2, 2], [9, 3, 2, 3], [12, 4], [4, 6]];

/** The same dashes as a CSS background, for a swatch. */
export function stripes(colour, dash) {
  if (!dash.length) return colour;
  let at = 0;
  const parts = dash.map((length, number) => {
    const shown = number % 2 ? "transparent" : colour;
    const part = `${shown} ${at}px ${at + length}px`;
    at += length;
    return part;
  });
  return `repeating-linear-gradient(90deg, ${parts.join(", ")})`;
}
