/** Colours from amber over the ground to indigo, for numbers of both signs. */

import { pixel } from "../../js/lib/palette.js";

const STOPS = {
  light: ["#7a3906", "#b45309", "#e3a566", "#ffffff", "#97a5ec", "#3b4cca", "#1d2590"],
  dark: ["#ffe2a3", "#fbbf24", "#8a6a1c", "#171b23", "#3a4a9e", "#93a3ff", "#dadfff"],
};
const SIZE = 256;

const tables = new Map();

/** 256 pixels from the most negative number to the most positive. @returns {Uint32Array} */
export function divergingTable(dark) {
  const stops = STOPS[dark ? "dark" : "light"];
  if (!tables.has(stops)) tables.set(stops, mixed(stops));
  return tables.get(stops);
}

function mixed(stops) {
  return Uint32Array.from({ length: SIZE }, (_, level) => {
    const place = (level / (SIZE - 1)) * (stops.length - 1);
    const left = Math.min(Math.floor(place), stops.length - 2);
    const share = place - left;
    const parts = [1, 3, 5].map((at) => {
      const [from, to] = [stops[left], stops[left + 1]].map((one) =>
        parseInt(one.slice(at, at + 2), 16),
      );
      return Math.round(from + (to - from) * share)
        .toString(16)
        .padStart(2, "0");
    });
    return pixel(`#${parts.join("")}`);
  });
}
