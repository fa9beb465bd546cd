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
