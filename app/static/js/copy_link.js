/** A button that copies the complete address of what is on the screen. */

const COPIED_MILLISECONDS = 2000;

/**
 * The page's address with every setting in it. What stands there already is newer than what the
 * server knew when it drew the button.
 */
function completeLink(version, settings) {
  const link = new URL(location.href);
  for (const [name, text] of Object.entries(settings)) {
    if (!link.searchParams.has(name)) link.searchParams.set(name, text);
  }
  link.searchParams.set("v", version);
  link.hash = "";
  return link.href;
}

/** Whether the text reached the clipboard. Browsers offer no clipboard to a page of plain HTTP. */
async function copy(text, field) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    field.hidden = false;
    field.select();
    return document.execCommand("copy");
  }
}

/** Draw into a component, or bring up to date what is drawn there. */
export function mount({ data, parentElement }) {
  const button = parentElement.querySelector("button");
  const status = parentElement.querySelector("output");
  const field = parentElement.querySelector("input");
  button.textContent = data.strings.copy;
  button.hidden = false;
  field.setAttribute("aria-label", data.strings.link);

  button.onclick = async () => {
    const link = completeLink(data.version, data.settings);
    field.value = link;
    const copied = await copy(link, field);
    field.hidden = copied;
    status.textContent = copied ? data.strings.copied : data.strings.byHand;
    if (copied) {
      button.focus();
      setTimeout(() => (status.textContent = ""), COPIED_MILLISECONDS);
    }
  };
}
