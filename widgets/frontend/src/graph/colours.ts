// Colour nodes by type, device, slack or memory.

import type { Model } from "../model/model.ts";
import type { Store } from "../model/store.ts";
import { countText, sizeText } from "../core/text.ts";
import type { Theme } from "../core/theme.ts";

/** Mixes two colours, `#rrggbb` both. */
export function mix(one: string, other: string, part: number): string {
  const channel = (start: number) => {
    const [a, b] = [one, other].map((colour) => parseInt(colour.slice(start, start + 2), 16));
    return Math.round(a + (b - a) * part)
      .toString(16)
      .padStart(2, "0");
  };
  return `#${channel(1)}${channel(3)}${channel(5)}`;
}

export class NodeColours {
  private readonly slack: Float64Array;
  private readonly bytes: Float64Array;
  private readonly most: { slack: number; bytes: number };
  private readonly devices: string[];

  constructor(private readonly store: Store) {
    const { model } = store;
    this.slack = slackOf(model);
    this.bytes = bytesOf(model);
    this.devices = [...new Set(model.meta.nodes.device ?? [])];
    const finite = this.slack.filter(Number.isFinite);
    this.most = {
      slack: finite.reduce((most, value) => Math.max(most, value), 0),
      bytes: this.bytes.reduce((most, value) => Math.max(most, value), 0),
    };
  }

  /** What can be asked for. */
  get choices(): [value: string, label: string][] {
    const { timeline, memory } = this.store.model;
    const found: [string, string][] = [["type", "by type"]];
    if (this.devices.length) found.push(["device", "by device"]);
    if (timeline) found.push(["slack", "by slack"]);
    if (memory) found.push(["size", "by memory"]);
    return found;
  }

  /** How much of its colour a whole box takes on. */
  get tint(): number {
    return this.store.state.colours === "type" ? 0 : 0.22;
  }

  /** What the colours say, in words. */
  get legend(): string {
    const { colours } = this.store.state;
    if (colours === "slack")
      return `red: no slack · pale: up to ${countText(this.most.slack)} steps`;
    if (colours === "size") return `strong: up to ${sizeText(this.most.bytes)} in one buffer`;
    return "";
  }

  /** Devices with their colours; nothing where the colours stand for something else. */
  keys(theme: Theme): [name: string, colour: string][] {
    if (this.store.state.colours !== "device") return [];
    return this.devices.map((name) => [name || "anywhere", this.colourOf(name, theme)]);
  }

  /** Devices take the colours of the palette in turn; what runs anywhere is grey. */
  private colourOf(device: string, theme: Theme): string {
    const place = this.devices.filter(Boolean).indexOf(device);
    return place < 0 ? theme.muted : theme.families[place % theme.families.length];
  }

  of(node: number, theme: Theme): string {
    const { colours } = this.store.state;
    if (node < 0) return theme.muted;
    if (colours === "slack") {
      const slack = this.slack[node];
      if (!Number.isFinite(slack)) return theme.muted;
      if (slack === 0) return theme.peak;
      return mix(theme.accent, theme.muted, Math.min(1, slack / Math.max(1, this.most.slack)));
    }
    if (colours === "size") {
      const bytes = this.bytes[node];
      const part = bytes > 0 ? Math.log(bytes + 1) / Math.log(this.most.bytes + 1) : 0;
      return mix(theme.muted, theme.accent, part ** 3);
    }
    if (colours === "device") {
      return this.colourOf(this.store.model.meta.nodes.device?.[node] ?? "", theme);
    }
    return theme.families[this.store.model.family[node]] ?? theme.muted;
  }
}

function slackOf({ count, timeline }: Model): Float64Array {
  const found = new Float64Array(count).fill(Infinity);
  const bars = timeline?.listed?.bars;
  if (!timeline || !bars) return found;
  for (let row = 0; row < timeline.name.length; row++) {
    if (timeline.producer[row]) continue;
    const node = timeline.node[row];
    for (let bar = bars.start[row]; bar < bars.start[row + 1]; bar++) {
      found[node] = Math.min(found[node], bars.slack[bar]);
    }
  }
  return found;
}

function bytesOf({ count, memory }: Model): Float64Array {
  const found = new Float64Array(count);
  for (let buffer = 0; buffer < (memory?.size.length ?? 0); buffer++) {
    const node = memory!.node[buffer];
    found[node] = Math.max(found[node], memory!.whole[buffer]);
  }
  return found;
}
