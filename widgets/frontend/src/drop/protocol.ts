// What the page and its worker say to each other.

/** One network asks for another: the page calls methods of the Python object `Tab`. */
export type Method = "open" | "open_zoo" | "plan" | "tile" | "advise" | "save" | "offered";

export interface Call {
  id: number;
  method: Method;
  /** A text, or the files by name. */
  given: string | Map<string, Uint8Array>;
}

/** The answer to a call: why it failed, or a text and bytes. */
export interface Answer {
  id: number;
  error: string;
  text: string;
  data: Uint8Array;
}

/** How far the worker is before it can answer, from 0 to 1. */
export interface Progress {
  done: number;
  words: string;
}

export type Reply = Answer | Progress;

export const isAnswer = (reply: Reply): reply is Answer => "id" in reply;

export interface ControlData {
  name: string;
  label: string;
  kind: "list" | "flag" | "slider" | "number";
  value: string | number | boolean;
  options: [text: string, value: string | number][];
}

export interface Offered {
  /** Names of models of the zoo. */
  zoo: string[];
  /** What a model file is called, such as "an ONNX file". */
  file: string;
}

/** The answer to `tile`. */
export interface Tiled {
  summary: string;
  controls: ControlData[];
}

export interface Told {
  title: string;
  summary: string;
  findings: string[];
  notes: string[];
  controls: ControlData[];
}
