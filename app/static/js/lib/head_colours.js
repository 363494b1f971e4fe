/**
 * One colour for each head of a layer, for lines of several heads in one picture.
 *
 * The colours were searched for, not picked: of those with a contrast of at least 3 to the card's
 * ground, 24 that lie far apart in OKLab both as they are and as people without green or without
 * red cones see them (Machado, Oliveira and Fernandes 2009, "A Physiologically-based Model for
 * Simulation of Color Vision Deficiency"). Any two are at least 0.095 apart, and 0.048 for such
 * people; any two of the first twelve 0.16 and 0.085.
 */

const LIGHT = [
  "#1f08b2", "#25a631", "#7b88fc", "#60140c", "#c40558", "#7f04fc", "#445e06", "#b8808c",
  "#07304e", "#237594", "#f231d3", "#6a267d", "#9d691c", "#a23abf", "#360d6f", "#0b4ca0",
  "#82546b", "#6f8e65", "#e96b35", "#9875bc", "#8c1d4d", "#0f76f6", "#03381e", "#7498ad",
];

const DARK = [
  "#56a7fe", "#68ec1f", "#e20b56", "#81fbff", "#684cff", "#e0951a", "#307609", "#ba60c3",
  "#65b886", "#fba8d2", "#3a6d89", "#fbf097", "#a98189", "#f96dbc", "#d8c2a2", "#ef6856",
  "#0764d4", "#c51799", "#8e8b0f", "#b8bbfb", "#d8fc31", "#796d4c", "#63a3b4", "#aec84d",
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
