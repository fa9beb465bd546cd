// Write style sheets in full again: the bundle holds what they repeat most as one letter each.

import letters from "../../letters.json";

const ANY = new RegExp(`[${Object.keys(letters).join("")}]`, "g");

export function expanded(css: string): string {
  return css.replace(ANY, (letter) => letters[letter as keyof typeof letters]);
}
