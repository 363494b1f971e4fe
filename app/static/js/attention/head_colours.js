/**
 * One colour for each head of a layer, for lines of several heads in one picture.
 *
 * The colours were searched for, not picked: of those with a contrast of at least 3 to the card's
 * ground, the 24 that lie farthest apart in OKLab as they are and as people without green or
 * without red cones see them (Machado, Oliveira and Fernandes 2009, "A Physiologically-based Model
 * for Simulation of Color Vision Deficiency"). Any two are at least 0.06 apart in all three, any two
 * of the first twelve 0.1; the first few are farther apart still, for few are compared at a time.
 */

const LIGHT = [
  "#3549b4", "#b18e15", "#590b05", "#7b88fc", "#59570c", "#02a3a7", "#0a435c", "#15068a",
  "#7f04fc", "#227bbd", "#685a78", "#ab6957", "#5a3a2e", "#e06a88", "#743188", "#038219",
  "#3d2437", "#d333cd", "#3a1463", "#944350", "#9059fd", "#3b0fa9", "#280adc", "#976592",
];

const DARK = [
  "#7b7bd2", "#ecfb12", "#e67502", "#ccddff", "#a25103", "#8cc798", "#436f77", "#cfa3fc",
  "#822efa", "#dcc812", "#03a67e", "#8ef9a7", "#85a9be", "#3c64bf", "#508ca1", "#c42b60",
  "#a787fe", "#bcfde9", "#d95544", "#dbbad2", "#cfa957", "#886bff", "#b420ae", "#38e977",
];

/**
 * The colour of a head, the same in every layer. Head 24 has that of head 0, and so on: layers of
 * up to 24 heads have no two alike.
 *
 * @param {number} head counted from 0
 * @param {boolean} dark whether the ground is dark
 * @returns {string} `#rrggbb`
 */
export function headColour(head, dark) {
  const colours = dark ? DARK : LIGHT;
  return colours[head % colours.length];
}
