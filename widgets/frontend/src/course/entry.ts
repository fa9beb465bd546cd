// What a question shows for its answer to be entered.

interface Kind<Name extends string> {
  kind: Name;
  text: string;
  hints: number;
}

export interface NumberAsked extends Kind<"number"> {
  unit: string;
}

export interface TextAsked extends Kind<"text"> {
  label: string;
  /** Characters that keyboards lack: a button for each. */
  keys: string[];
}

export interface Options extends Kind<"choose"> {
  options: string[];
  many: boolean;
}

export interface Order extends Kind<"order"> {
  items: string[];
  /** Whether names may stand more than once. */
  repeats: boolean;
}

export interface Bars extends Kind<"bars"> {
  ask: string;
  names: string[];
  length: number;
  /** Early steps that are given, where the late ones are asked for. */
  early: Record<string, number>;
}

export interface Rows extends Kind<"rows"> {
  /** The maps in their order; of those with given rows nothing is asked. */
  maps: { name: string; rows: number; given: [number, number] | null }[];
}

export type Asked = NumberAsked | TextAsked | Options | Order | Bars | Rows;

export interface Entry {
  element: HTMLElement;
  /** The answer; null for none. */
  read(): unknown;
  /** Shows an answer. */
  write(answer: unknown): void;
  reset(): void;
}
