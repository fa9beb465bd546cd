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

/** Milliseconds between looks for a kernel: nothing tells when widgets have got one. */
const PATIENCE = 300;

/** What a view draws first. */
const DRAWN = ".aidge-nb, .anb-board, .anc, .anf";

/** Shows saved views in all notebooks, those that are open and those to come. */
export function showSaved(notebooks: Notebooks, Container: new () => Container): void {
  const add = ({ content: { rendermime } }: Panel) => {
    const createRenderer = () => savedView(rendermime, new Container());
    rendermime.addFactory({ safe: false, mimeTypes: [view], createRenderer }, RANK);
  };
  notebooks.forEach(add);
  notebooks.widgetAdded.connect((_, panel) => add(panel));
}

/** Makes a renderer that shows a picture, and the live view in its place once there is one. */
function savedView(rendermime: Renderers, whole: Container): Container {
  let stop = () => {};
  whole.disposed.connect(() => stop());
  const renderModel = async (model: Output) => {
    stop();
    for (const part of [...whole.widgets]) part.dispose();
    const { [view]: own, [widget]: _, ...forms } = model.data;
    const picture = rendermime.preferredMimeType(forms, "any");
    const still = picture ? rendermime.createRenderer(picture) : null;
    if (still) {
      whole.addWidget(still);
      await still.renderModel({ data: forms, metadata: model.metadata, trusted: true });
      for (const image of still.node.querySelectorAll("img")) image.style.maxWidth = LARGEST;
    }
    whole.node.dataset.shown = "still";
    stop = awaitLive(rendermime, whole, { [widget]: own }, still);
  };
  return Object.assign(whole, { renderModel });
}

/** Tries to draw the live view, again when the notebook gets a kernel; gives back what stops it. */
function awaitLive(
  rendermime: Renderers,
  whole: Container,
  data: Record<string, unknown>,
  still: Part | null,
): () => void {
  let live: (Renderer & Container) | null = null;
  let factory: object | undefined;
  const draw = () => {
    const found = rendermime.getFactory(widget);
    if (!found || found === factory) return; // another one stands for another kernel
    factory = found;
    observer.disconnect();
    live?.dispose();
    live = rendermime.createRenderer(widget) as Renderer & Container;
    if (still) live.hide();
    whole.addWidget(live);
    observer.observe(live.node, { childList: true, subtree: true });
    void live.renderModel({ data, metadata: {}, trusted: true });
  };
  const look = () => {
    if (!live?.node.querySelector(DRAWN)) return;
    stop();
    still?.hide();
    live.show();
    whole.node.dataset.shown = "live";
    const closing = new MutationObserver(() => live?.isHidden && whole.hide());
    closing.observe(live.node, { childList: true });
  };
  const observer = new MutationObserver(look);
  const timer = setInterval(draw, PATIENCE);
  const stop = () => {
    clearInterval(timer);
    observer.disconnect();
  };
  draw();
  return stop;
}
