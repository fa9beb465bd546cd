// The extension of JupyterLab and Notebook 7, as a container that they load by module federation.

import { showSaved, type Notebooks } from "./saved.ts";

/** Modules that JupyterLab shares: by name and version, a function that gets a factory. */
type Shared = Record<string, Record<string, { get(): Factory | Promise<Factory> }>>;
type Factory = () => Record<string, unknown>;

const NAME = "aidge-nb";

let shared: Shared = {};

async function take<Value>(module: string, name: string): Promise<Value> {
  const [version] = Object.values(shared[module] ?? {});
  const factory = await version?.get();
  return factory?.()[name] as Value;
}

const container = {
  init(given: Shared) {
    shared = given;
  },
  async get(): Promise<() => unknown> {
    const tracker = await take("@jupyterlab/notebook", "INotebookTracker");
    const Panel = await take<new () => never>("@lumino/widgets", "Panel");
    const plugin = {
      id: `${NAME}:saved-views`,
      autoStart: true,
      optional: [tracker],
      activate: (_app: unknown, notebooks: Notebooks | null) => {
        if (notebooks) showSaved(notebooks, Panel);
      },
    };
    return () => ({ __esModule: true, default: plugin });
  },
};

const page = globalThis as { _JUPYTERLAB?: Record<string, unknown> };
(page._JUPYTERLAB ??= {})[NAME] = container;
