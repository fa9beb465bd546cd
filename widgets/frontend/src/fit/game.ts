// The rules of "Fit it in 16 KB": moves, predictions, levels and points.

export interface Setting {
  order: string[];
  inPlace: boolean;
  rows: boolean;
  stripes: number;
  halo: string;
  variant: string;
}

/** What Python works out for a setting. */
export interface State {
  peak: number;
  /** Bytes of the C program's memory; where it is not exported null, or what comes of null on the
   * way from Python in a browser. */
  arena: number | null | undefined;
  /** Share of MACs that are computed twice. */
  share: number;
  tick: number;
  order: string[];
  /** Name, lower, upper, offset, size. */
  blocks: [string, number, number, number, number][];
  says: string;
  text: string;
}

export type Move = "order" | "in_place" | "rows" | "stripes" | "halo";

export interface Level {
  name: string;
  variant: string;
  budget: number;
  moves: Move[];
  program: boolean;
  says: string;
}

export interface Facts {
  levels: Level[];
  orders: string[][];
  stripes: number[];
  halos: string[];
  few: number;
  /** Rows of the picture that is run on at the end: a digit from 0 to f for a point. */
  picture: string[];
}

export type Way = "up" | "down" | "same";

export const ANY = "-";

/** The text by which the state of a setting is found; see Setting.key in Python. */
export function keyOf({ order, inPlace, rows, stripes, halo, variant }: Setting): string {
  const [ordered, bordered] = stripes > 1 ? [ANY, halo] : [order.join(" "), ANY];
  const parts = [ordered, +inPlace, +rows, stripes, bordered];
  return (variant ? [...parts, variant] : parts).join("|");
}

export function wayOf(before: number, after: number): Way {
  return after === before ? "same" : after > before ? "up" : "down";
}

export class Game {
  level = 0;
  setting: Setting;
  moves = 0;
  foreseen = 0;
  /** The moves in words. */
  log: string[] = [];
  /** Most stars of each level; 0 for one that was not won. */
  readonly stars: number[];

  constructor(readonly facts: Facts) {
    this.stars = facts.levels.map(() => 0);
    this.setting = this.first;
  }

  /** The setting of this level in which nothing is moved. */
  get first(): Setting {
    const { orders, stripes, halos } = this.facts;
    const { variant } = this.rules;
    const start = { order: orders[0], stripes: stripes[0], halo: halos[0], variant };
    return { ...start, inPlace: false, rows: false };
  }

  get rules(): Level {
    return this.facts.levels[this.level];
  }

  /** Begins a level with nothing moved. */
  begin(level: number): void {
    this.level = level;
    this.setting = this.first;
    this.moves = this.foreseen = 0;
    this.log = [];
  }

  /** Whether a move makes a difference now. */
  allows(move: Move): boolean {
    if (!this.rules.moves.includes(move)) return false;
    if (move === "order") return this.setting.stripes === 1;
    return move !== "halo" || this.setting.stripes > 1;
  }

  /** Moves a chip; null where an operator would stand before what it reads. */
  shifted(name: string, by: number): Setting | null {
    const order = [...this.setting.order];
    const from = order.indexOf(name);
    if (from + by < 0 || from + by >= order.length) return null;
    order.splice(from + by, 0, ...order.splice(from, 1));
    const isOrder = this.facts.orders.some((each) => each.join() === order.join());
    return isOrder ? { ...this.setting, order } : null;
  }

  /** Makes a move; returns which way the peak went. */
  make(next: Setting, said: Way, before: State, after: State): Way {
    const way = wayOf(before.peak, after.peak);
    this.setting = next;
    this.moves++;
    if (way === said) this.foreseen++;
    if (this.fits(after)) {
      this.stars[this.level] = Math.max(this.stars[this.level], this.starsOf(after));
    }
    return way;
  }

  /** Bytes that must fit: those of the program where it counts. */
  bytes(state: State): number {
    return (this.rules.program ? state.arena : null) ?? state.peak;
  }

  fits(state: State): boolean {
    const isThere = !this.rules.program || state.arena != null;
    return isThere && this.bytes(state) <= this.rules.budget;
  }

  /** Whether what fits here can be run as a program. */
  get runs(): boolean {
    return this.rules.program || this.rules.variant === "image";
  }

  starsOf({ share }: State): number {
    return share === 0 ? 3 : share <= this.facts.few ? 2 : 1;
  }

  /** Bytes saved for each move; a move that was foreseen counts as half a move. */
  points(start: State, now: State): number {
    const saved = Math.max(0, start.peak - this.bytes(now));
    return this.moves ? Math.round(saved / (this.moves - this.foreseen / 2)) : 0;
  }

  /** Says whether the state fits, and what is missing. */
  verdict(state: State): string {
    const over = this.bytes(state) - this.rules.budget;
    if (this.fits(state)) {
      const more = this.starsOf(state) < 3 ? " Now without computing anything twice?" : "";
      return `It fits, ${bytes(-over)} are free.${more}`;
    }
    if (over > 0) return `${bytes(over)} too many at tick ${state.tick}.`;
    return "The plan fits; the C program writes in place where it may: allow it.";
  }
}

export function bytes(count: number): string {
  return `${count.toLocaleString("en")} byte${count === 1 ? "" : "s"}`;
}
