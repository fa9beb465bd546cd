// The page "Drop your network here": a network is studied in this tab, and nothing is sent.

import { element } from "../panel/canvasPanel.ts";
import type { Payload } from "../model/payload.ts";
import { unpack } from "../shell/data.ts";
import type { Options } from "../shell/outside.ts";
import { holdStill, sizesOf } from "../shell/steady.ts";
import type { Workbench } from "../shell/workbench.ts";
import { fillForm, type Settings } from "./form.ts";
import type { Answer, ControlData, Offered, Progress, Tiled, Told } from "./protocol.ts";
import { Calls, Newest } from "./worker_calls.ts";

/** What is shown: the network with its plan, or the tiles of the layers at the peak. */
type Mode = "plan" | "tile";

type Mount = (parent: HTMLElement, payload: Payload, options?: Options) => Workbench;

/** Bytes of files that a tab can hold twice: Python in a browser has 4 GB at most. */
const LARGEST = 1 << 30;

const part = <Kind extends HTMLElement>(id: string) => document.getElementById(id) as Kind;

class Page {
  private readonly place = part("view");
  private readonly status = part("status");
  private readonly alert = part("alert");
  private readonly form = part("controls");
  private bench: Workbench | null = null;
  private release = () => {};
  private mode: Mode = "plan";
  private controls: ControlData[] = [];
  private settings: Settings = {};
  private readonly replans = new Newest((settings: Settings) => this.replan(settings));

  constructor(
    private readonly mount: Mount,
    private readonly calls: Calls,
  ) {
    const input = part<HTMLInputElement>("files");
    input.onclick = () => {
      input.value = ""; // so that a file that was changed can be picked again
    };
    input.onchange = () => void this.open([...(input.files ?? [])]);
    const zoo = part<HTMLSelectElement>("zoo");
    zoo.onchange = () => {
      input.value = "";
      if (zoo.value) void this.study(zoo.value, () => calls.ask("open_zoo", zoo.value));
    };
    for (const button of document.querySelectorAll<HTMLButtonElement>("[data-save]")) {
      button.onclick = () => void this.save(button.dataset.save!);
    }
    for (const button of document.querySelectorAll<HTMLButtonElement>("button[data-mode]")) {
      button.onclick = () => void this.show(button.dataset.mode as Mode);
    }
    part("advise").onclick = () => void this.advise();
    this.watchDrops();
    void this.offer(zoo);
  }

  private watchDrops() {
    const body = document.body;
    const hover = (event: DragEvent, over: boolean) => {
      event.preventDefault();
      body.classList.toggle("over", over);
    };
    body.ondragover = (event) => hover(event, true);
    body.ondragleave = (event) => hover(event, false);
    body.ondrop = (event) => {
      hover(event, false);
      void this.open([...(event.dataTransfer?.files ?? [])]);
    };
  }

  private async offer(zoo: HTMLSelectElement) {
    const { text } = await this.calls.ask("offered");
    const offered = JSON.parse(text) as Offered;
    for (const name of offered.zoo) zoo.append(element("option", {}, name));
    part("kinds").textContent = offered.file;
    zoo.disabled = false;
  }

  private async open(files: File[]) {
    if (!files.length) return;
    const bytes = files.reduce((sum, file) => sum + file.size, 0);
    const names = files.map((file) => file.name).join(", ");
    if (bytes > LARGEST) {
      const mebibytes = Math.round(bytes / 2 ** 20);
      this.fail(`${names}: ${mebibytes} MiB are too many for a tab. Use: aidge-nb report`);
      return;
    }
    part<HTMLSelectElement>("zoo").value = "";
    await this.study(names, async () => {
      const read = files.map(
        async (file) => [file.name, new Uint8Array(await file.arrayBuffer())] as const,
      );
      return this.calls.ask("open", new Map(await Promise.all(read)));
    });
  }

  private async study(name: string, ask: () => Promise<Answer>) {
    this.say(`Studying ${name} …`);
    await this.busy(async () => {
      const answer = await ask();
      const told = JSON.parse(answer.text) as Told;
      await this.drawAnew(answer);
      this.controls = told.controls;
      this.settings = {};
      this.fill("plan", told.controls, {});
      document.title = `${told.title} – aidge_nb`;
      this.say(told.summary);
    });
  }

  /** Searches for more changes, which become findings; a budget that is chosen is to be met. */
  private async advise() {
    const { title } = document;
    const settings = JSON.stringify(this.settings);
    await this.study("more changes", () => this.calls.ask("advise", settings));
    document.title = title;
  }

  /** Shows the network, or the tiles of its layers at the peak. */
  private async show(mode: Mode) {
    if (mode === this.mode) return;
    this.say(mode === "tile" ? "Cutting the layers at the peak …" : "Planning …");
    await this.busy(async () => {
      const settings = mode === "tile" ? "" : JSON.stringify(this.settings);
      const answer = await this.calls.ask(mode, settings);
      await this.drawAnew(answer);
      const told = JSON.parse(answer.text) as Tiled & { verdict?: string };
      this.fill(mode, told.controls ?? this.controls, mode === "plan" ? this.settings : {});
      this.say(told.verdict ?? told.summary);
    });
  }

  /** Waits for work that replaces the view. */
  private async busy(work: () => Promise<void>) {
    document.body.dataset.state = "busy";
    try {
      await work();
      document.body.dataset.state = "open";
    } catch (error) {
      this.fail((error as Error).message);
    }
  }

  private fill(mode: Mode, controls: ControlData[], chosen: Settings) {
    this.mode = mode;
    document.body.dataset.mode = mode;
    for (const button of document.querySelectorAll<HTMLButtonElement>("button[data-mode]")) {
      button.setAttribute("aria-pressed", String(button.dataset.mode === mode));
    }
    fillForm(this.form, controls, chosen, (settings) => void this.replans.want(settings));
  }

  private async replan(settings: Settings) {
    this.say("Planning …");
    const { mode } = this;
    if (mode === "plan") this.settings = settings;
    try {
      const { text, data } = await this.calls.ask(mode, JSON.stringify(settings));
      this.draw(await unpack(data as Uint8Array<ArrayBuffer>));
      const told = JSON.parse(text) as { verdict?: string; summary?: string };
      this.say(told.verdict ?? told.summary ?? "");
    } catch (error) {
      this.fail((error as Error).message);
    }
  }

  private async drawAnew({ data }: Answer) {
    this.bench?.destroy();
    this.bench = null;
    this.place.replaceChildren();
    this.draw(await unpack(data as Uint8Array<ArrayBuffer>));
  }

  private draw(payload: Payload) {
    const old = this.bench;
    const sizes = old && sizesOf(old);
    const options = { before: old?.store.model ?? null, choices: old?.choices, steady: true };
    this.release();
    old?.destroy();
    this.bench = this.mount(this.place, payload, options);
    if (sizes) this.release = holdStill(this.bench, sizes);
  }

  private async save(kind: string) {
    this.say("Writing …");
    try {
      const { text, data } = await this.calls.ask("save", kind);
      const url = URL.createObjectURL(new Blob([data as Uint8Array<ArrayBuffer>]));
      element("a", { href: url, download: text }).click();
      setTimeout(() => URL.revokeObjectURL(url), 60_000);
      this.say(`Saved ${text}.`);
    } catch (error) {
      this.fail((error as Error).message);
    }
  }

  private say(words: string) {
    this.alert.textContent = "";
    this.status.textContent = words;
  }

  private fail(words: string) {
    this.status.textContent = "";
    this.alert.textContent = words;
    if (document.body.dataset.state === "busy") {
      document.body.dataset.state = this.bench ? "open" : "ready";
    }
  }
}

function showProgress({ done, words }: Progress) {
  const bar = part<HTMLProgressElement>("progress");
  bar.value = Math.max(done, 0);
  part("loading").textContent = words;
  if (done === 1) document.body.dataset.state = "ready";
  else if (done < 0) part("alert").textContent = words;
}

async function start() {
  if (typeof WebAssembly === "undefined" || typeof Worker === "undefined") {
    const words = "This browser cannot run Python (it has no WebAssembly). Take another one.";
    showProgress({ done: -1, words });
    return;
  }
  const front = new URL("workbench.js", document.baseURI).href;
  const { mount } = (await import(front)) as { mount: Mount };
  const worker = new Worker("worker.js", { type: "module" });
  new Page(mount, new Calls(worker, showProgress));
  await navigator.serviceWorker?.register("offline.js").catch(() => undefined);
}

void start();
