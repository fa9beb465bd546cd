// Colours of the views, light or dark: as CSS variables of the root, from which canvases read them.

import { dark, jupyter, jupyterDark, light, pale } from "../../../shared/colours.json";
import { ink } from "../../../shared/labels.json";

/** How much is seen of what is not in focus; names on it have the ink of the paper. */
export const PALE = pale;

export type ThemeName = "auto" | "light" | "dark";

export interface Theme {
  dark: boolean;
  paper: string;
  ink: string;
  muted: string;
  line: string;
  faint: string;
  surface: string;
  accent: string;
  warn: string;
  /** Of the peak, and of what is looked at. */
  peak: string;
  font: string;
  families: string[];
  /** Black or white, whichever reads better on the colour of each family. */
  inks: string[];
}

export function textOn(colour: string): string {
  const part = (start: number) => (parseInt(colour.slice(start, start + 2), 16) / 255) ** 2.2;
  const [red, green, blue] = ink.weights;
  const luminance = red * part(1) + green * part(3) + blue * part(5);
  return luminance > ink.luminance ? ink.dark : ink.light;
}

/** The colour that is seen where another lies thinly on paper, both as `#rrggbb`. */
export function thinned(colour: string, paper: string, alpha: number): string {
  const part = (from: string, start: number) => parseInt(from.slice(start, start + 2), 16);
  const mixed = [1, 3, 5].map((start) =>
    Math.round(part(colour, start) * alpha + part(paper, start) * (1 - alpha)),
  );
  return `#${mixed.map((each) => each.toString(16).padStart(2, "0")).join("")}`;
}

function hostIsDark(): boolean {
  const { body } = document;
  const jupyter = body.dataset.jpThemeLight;
  if (jupyter !== undefined) return jupyter === "false";
  if (body.classList.contains("vscode-dark")) return true;
  if (body.classList.contains("vscode-light")) return false;
  return matchMedia("(prefers-color-scheme: dark)").matches;
}

/** Writes on the root whether it is dark: CSS picks its variables by that. */
export function dress(root: HTMLElement, asked: ThemeName): void {
  const host = hostIsDark();
  const isDark = asked === "auto" ? host : asked === "dark";
  root.dataset.theme = isDark ? "dark" : "light";
  const inJupyter = document.body.dataset.jpThemeLight !== undefined && isDark === host;
  root.toggleAttribute("data-jupyter", inJupyter);
}

/**
 * Reads the colours of a root that is dressed. Gives null while there are none to read: a notebook
 * takes views out of the page, and changes style sheets.
 */
export function readTheme(root: HTMLElement, families: [string, string, string][]): Theme | null {
  const style = getComputedStyle(root);
  const read = (name: string) => style.getPropertyValue(`--anb-${name}`).trim();
  if (read("paper") === "") return null;
  const isDark = root.dataset.theme === "dark";
  const colours = families.map((family) => family[isDark ? 2 : 1]);
  return {
    dark: isDark,
    paper: read("paper"),
    ink: read("ink"),
    muted: read("muted"),
    line: read("line"),
    faint: read("faint"),
    surface: read("surface"),
    accent: read("accent"),
    warn: read("warn"),
    peak: read("peak"),
    font: style.fontFamily,
    families: colours,
    inks: colours.map(textOn),
  };
}

/** Writes the colours as CSS variables; in Jupyter some are those of its theme. */
export function variables(): string {
  const rule = (where: string, colours: Record<string, string>) =>
    `.aidge-nb${where}{${Object.entries(colours)
      .map(([name, colour]) => `--anb-${name}:${colour}`)
      .join(";")}}`;
  const hosted = (names: Record<string, string>, own: Record<string, string>) =>
    Object.fromEntries(
      Object.entries(names).map(([name, host]) => [name, `var(${host}, ${own[name]})`]),
    );
  return [
    rule("", light),
    rule('[data-theme="dark"]', dark),
    rule("[data-jupyter]", hosted(jupyter, light)),
    rule('[data-jupyter][data-theme="dark"]', hosted(jupyterDark, dark)),
  ].join("");
}

/** The theme until the style sheet is there. */
export function plainTheme(families: [string, string, string][]): Theme {
  const colours = families.map((family) => family[1]);
  return {
    dark: false,
    ...light,
    font: "sans-serif",
    families: colours,
    inks: colours.map(textOn),
  };
}

/** Calls back when the page or the system changes its theme, and when new style sheets are loaded. */
export function watchTheme(changed: () => void): () => void {
  const media = matchMedia("(prefers-color-scheme: dark)");
  media.addEventListener("change", changed);
  const observer = new MutationObserver(changed);
  observer.observe(document.body, {
    attributes: true,
    attributeFilter: ["data-jp-theme-light", "data-jp-theme-name", "class"],
  });
  document.head.addEventListener("load", changed, true);
  return () => {
    media.removeEventListener("change", changed);
    observer.disconnect();
    document.head.removeEventListener("load", changed, true);
  };
}
