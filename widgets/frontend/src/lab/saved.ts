// Show a view of a notebook: live where its model is there, and as its picture elsewhere.

import { view, widget } from "../../../shared/saved.json";

interface Signal<Value> {
  connect(slot: (sender: unknown, value: Value) => void): unknown;
}

/** A widget of Lumino, as far as it is used here. */
interface Part {
  node: HTMLElement;
  hide(): void;
  show(): void;
  isHidden: boolean;
  dispose(): void;
  disposed: Signal<void>;
}

interface Container extends Part {
  widgets: readonly Part[];
  addWidget(part: Part): void;
}

interface Output {
  data: Record<string, unknown>;
  metadata: Record<string, unknown>;
  trusted: boolean;
}

interface Renderer extends Part {
  renderModel(model: Output): Promise<void>;
}

interface Renderers {
  addFactory(factory: object, rank: number): void;
  createRenderer(kind: string, options?: object): Renderer;
  getFactory(kind: string): object | undefined;
  preferredMimeType(data: Record<string, unknown>, safe: "any"): string | undefined;
}

interface Panel {
  content: { rendermime: Renderers };
}

export interface Notebooks {
  forEach(call: (panel: Panel) => void): void;
  widgetAdded: Signal<Panel>;
}

/** Before widgets, which have -10: the lowest of an output's types is shown. */
const RANK = -20;

/** Pictures get no wider: some have no size of their own. */
const LARGEST = "min(100%, 1200px)";

/** What a view draws first. */
const DRAWN = ".aidge-nb, .anb-board";

/** Shows saved views in all notebooks, those that are open and those to come. */
export function showSaved(notebooks: Notebooks, Container: new () => Container): void {
  const add = ({ content: { rendermime } }: Panel) => {
    const createRenderer = () => savedView(rendermime, new Container());
    rendermime.addFactory({ safe: false, mimeTypes: [view], createRenderer }, RANK);
  };
  notebooks.forEach(add);
  notebooks.widgetAdded.connect((_, panel) => add(panel));
}

/** Makes a renderer with two parts, one of which is hidden. */
function savedView(rendermime: Renderers, whole: Container): Container {
  let stopWatching = () => {};
  whole.disposed.connect(() => stopWatching());
  const renderModel = async (model: Output) => {
    stopWatching();
    for (const part of [...whole.widgets]) part.dispose();
    const { [view]: own, [widget]: _, ...forms } = model.data;
    const picture = rendermime.preferredMimeType(forms, "any");
    const still = picture && rendermime.createRenderer(picture);
    if (still) {
      whole.addWidget(still);
      await still.renderModel({ ...model, data: forms, metadata: model.metadata, trusted: true });
      for (const image of still.node.querySelectorAll("img")) image.style.maxWidth = LARGEST;
    }
    if (!rendermime.getFactory(widget)) return; // no widgets are installed
    const live = rendermime.createRenderer(widget) as Renderer & Container;
    whole.addWidget(live);
    stopWatching = swap(whole, live, still || live);
    await live.renderModel({ data: { [widget]: own }, metadata: {}, trusted: true });
  };
  return Object.assign(whole, { renderModel });
}

/** Shows the picture until the live view is drawn; gives back what stops that. */
function swap(whole: Container, live: Container, still: Part): () => void {
  let isLive = false;
  const look = () => {
    if (isLive && live.isHidden) return whole.hide(); // the view was closed
    if (isLive || !live.node.querySelector(DRAWN)) return;
    isLive = true;
    still.hide();
    live.show();
    whole.node.dataset.shown = "live";
    observer.disconnect();
    observer.observe(live.node, { childList: true });
  };
  const observer = new MutationObserver(look);
  observer.observe(live.node, { childList: true, subtree: true });
  if (still !== live) live.hide();
  whole.node.dataset.shown = "still";
  return () => observer.disconnect();
}
