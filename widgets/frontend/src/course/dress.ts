// Colours of sheets: those of the host's theme, light or dark.

import { dark, jupyter, jupyterDark, light } from "../../../shared/colours.json";

type Colours = Record<string, string>;

/** Writes colours as CSS variables; those of Jupyter's theme come first where they are known. */
function variables(prefix: string, own: Colours, hosted: Colours): string {
  return Object.entries(own)
    .map(([name, colour]) => {
      const value = hosted[name] ? `var(${hosted[name]}, ${colour})` : colour;
      return `--${prefix}-${name}:${value};`;
    })
    .join("");
}

function hostIsDark(): boolean {
  const { jpThemeLight } = document.body.dataset;
  if (jpThemeLight !== undefined) return jpThemeLight === "false";
  if (document.body.classList.contains("vscode-dark")) return true;
  if (document.body.classList.contains("vscode-light")) return false;
  return matchMedia("(prefers-color-scheme: dark)").matches;
}

/** Returns the colours as CSS, for a class and its dark form. */
export function themed(name: string): string {
  return (
    `.${name}{${variables(name, light, jupyter)}}` +
    `.${name}[data-dark]{${variables(name, dark, { ...jupyter, ...jupyterDark })}}`
  );
}

/** Follows the theme of the host; returns what ends it. */
export function follow(root: HTMLElement): () => void {
  const dress = () => root.toggleAttribute("data-dark", hostIsDark());
  const media = matchMedia("(prefers-color-scheme: dark)");
  const watcher = new MutationObserver(dress);
  watcher.observe(document.body, { attributes: true });
  media.addEventListener("change", dress);
  dress();
  return () => {
    media.removeEventListener("change", dress);
    watcher.disconnect();
  };
}
