// Write style sheets in full again: the bundle holds what they repeat most as one letter each.

/** What each letter stands for; none of them is in a style sheet (see build.mjs). */
const LETTERS: Readonly<Record<string, string>> = {
  "?": ".aidge-nb ",
  $: "var(--anb-",
};

export function expanded(css: string): string {
  return css.replace(/[?$]/g, (letter) => LETTERS[letter]);
}
