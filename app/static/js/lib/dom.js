/** Small pieces of page. Text always arrives as text, never as markup. */

/**
 * Create an element.
 *
 * @param {string} tag
 * @param {Record<string, string>} [attributes]
 * @param {(Node | string)[]} [children] strings become text
 * @returns {HTMLElement}
 */
export function element(tag, attributes = {}, children = []) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  node.append(...children);
  return node;
}

/**
 * Give a canvas its size in CSS pixels, sharp on this screen.
 *
 * @param {HTMLCanvasElement} canvas
 * @param {number} width
 * @param {number} height
 * @returns {CanvasRenderingContext2D} cleared, in CSS pixels
 */
export function prepareCanvas(canvas, width, height) {
  const ratio = window.devicePixelRatio || 1;
  const pixels = [Math.round(width * ratio), Math.round(height * ratio)];
  // Setting a size, even the same one, throws the canvas's memory away.
  if (canvas.width !== pixels[0]) canvas.width = pixels[0];
  if (canvas.height !== pixels[1]) canvas.height = pixels[1];
  canvas.style.width = `${width}px`;
  canvas.style.height = `${height}px`;
  const context = canvas.getContext("2d");
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  return context;
}

/**
 * Cut a text so that it fits, with an ellipsis.
 *
 * @param {CanvasRenderingContext2D} context with its font set
 * @param {string} text
 * @param {number} width
 * @returns {string}
 */
export function shorten(context, text, width) {
  if (context.measureText(text).width <= width) return text;
  const letters = Array.from(text);
  let fits = 0;
  let tooMany = letters.length;
  while (tooMany - fits > 1) {
    const middle = (fits + tooMany) >> 1;
    const shown = `${letters.slice(0, middle).join("")}…`;
    if (context.measureText(shown).width <= width) fits = middle;
    else tooMany = middle;
  }
  return `${letters.slice(0, fits).join("")}…`;
}

/**
 * A row of choices of which one holds, from native radio buttons.
 *
 * @param {string} name of the radio group
 * @param {(value: string) => void} onChoose
 * @returns {{node: HTMLElement, show(label: string, options: [string, string][], chosen: string):
 *   void}}
 */
export function segmentedControl(name, onChoose) {
  const node = element("div", { class: "segments", role: "radiogroup" });
  let drawn = "";
  node.addEventListener("change", (event) => onChoose(event.target.value));
  return {
    node,
    show(label, options, chosen) {
      const wanted = JSON.stringify([label, options]);
      if (wanted !== drawn) {
        drawn = wanted;
        node.setAttribute("aria-label", label);
        node.replaceChildren(
          ...options.map(([value, text]) => {
            const input = element("input", { type: "radio", name, value });
            return element("label", {}, [input, element("span", {}, [text])]);
          }),
        );
      }
      for (const input of node.querySelectorAll("input")) input.checked = input.value === chosen;
    },
  };
}

/**
 * A choice among a few, from a native list.
 *
 * @param {(value: string) => void} onChoose
 * @returns {{node: HTMLElement, show(label: string, options: [string, string][], chosen: string):
 *   void}}
 */
export function selectControl(onChoose) {
  const node = element("select");
  let drawn = "";
  node.addEventListener("change", () => onChoose(node.value));
  return {
    node,
    show(label, options, chosen) {
      const wanted = JSON.stringify([label, options]);
      if (wanted !== drawn) {
        drawn = wanted;
        node.setAttribute("aria-label", label);
        node.title = label;
        node.replaceChildren(
          ...options.map(([value, text]) => element("option", { value }, [text])),
        );
      }
      node.value = chosen;
    },
  };
}

/**
 * A heading in plain words with a grey qualifier.
 *
 * @returns {{node: HTMLElement, say(text: string, hint: string): void}}
 */
export function heading() {
  const words = element("strong");
  const qualifier = element("span", { class: "qualifier" });
  const node = element("h3", {}, [words, " · ", qualifier]);
  return {
    node,
    say(text, hint) {
      words.textContent = text;
      qualifier.textContent = hint;
    },
  };
}

/** A bar as long as its share of the longest one. @returns {HTMLElement} */
export function bar() {
  return element("span", { class: "bar" }, [element("span", { class: "fill" })]);
}

/** Give a bar its length. */
export function setBar(node, share, longest) {
  node.firstChild.style.width = `${Math.max((100 * share) / longest, 1)}%`;
}

/**
 * A short piece of a curve, to stand beside its name.
 *
 * @param {{dashes: number[], colour: string}} style
 * @returns {SVGSVGElement}
 */
export function swatch({ dashes, colour }) {
  const picture = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  picture.setAttribute("class", "swatch");
  picture.setAttribute("aria-hidden", "true");
  const line = document.createElementNS("http://www.w3.org/2000/svg", "line");
  const attributes = { x1: 0, x2: 28, y1: 6, y2: 6, "stroke-dasharray": dashes.join(" ") };
  for (const [key, value] of Object.entries(attributes)) line.setAttribute(key, String(value));
  line.style.stroke = colour;
  picture.append(line);
  return picture;
}
