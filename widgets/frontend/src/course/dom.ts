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

/** Leaves keys that are pressed in an element to it; returns what ends that. */
export function keepKeys(root: Element): () => void {
  // JupyterLab takes arrow keys before anybody hears them, but not where the element that has the
  // focus bears this mark; saving and the like stay with it.
  const pressed = ({ target, ctrlKey, metaKey, altKey }: KeyboardEvent) => {
    if (!(target instanceof Element) || !root.contains(target)) return;
    target.toggleAttribute("data-lm-suppress-shortcuts", !(ctrlKey || metaKey || altKey));
  };
  addEventListener("keydown", pressed, true);
  return () => removeEventListener("keydown", pressed, true);
}
