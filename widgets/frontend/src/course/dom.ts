// Elements, made in one line.

export type Attributes = Record<string, string | number | boolean>;

/** Makes an element; an attribute that is true is set, and one that is false is not. */
export function make<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Attributes = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[Name] {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value !== false) made.setAttribute(key, value === true ? "" : String(value));
  }
  made.append(...children);
  return made;
}

export function button(label: string, pressed: () => void, attributes: Attributes = {}) {
  const made = make("button", { type: "button", ...attributes }, label);
  made.addEventListener("click", pressed);
  return made;
}

const SUPPRESS = "data-lm-suppress-shortcuts";

/** Leaves keys that are pressed in an element to it; returns what ends that. */
export function keepKeys(root: Element): () => void {
  // JupyterLab takes arrow keys before anybody hears them, but from what has this attribute; saving
  // and the like stay with it.
  const pressed = ({ ctrlKey, metaKey, altKey }: KeyboardEvent) => {
    if (ctrlKey || metaKey || altKey) root.removeAttribute(SUPPRESS);
    else root.setAttribute(SUPPRESS, "true");
  };
  addEventListener("keydown", pressed, true);
  return () => removeEventListener("keydown", pressed, true);
}
