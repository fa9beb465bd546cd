// Calls of the worker as promises.

import {
  type Answer,
  type Call,
  isAnswer,
  type Method,
  type Progress,
  type Reply,
} from "./protocol.ts";

type Given = Call["given"];

export interface Speaker {
  postMessage(call: Call): void;
  onmessage: ((event: MessageEvent<Reply>) => void) | null;
}

/** Asks a worker, and keeps its answers apart. */
export class Calls {
  private readonly open = new Map<number, (answer: Answer) => void>();
  private count = 0;

  constructor(
    private readonly worker: Speaker,
    progress: (progress: Progress) => void,
  ) {
    worker.onmessage = ({ data }) => {
      if (!isAnswer(data)) {
        progress(data);
        return;
      }
      this.open.get(data.id)?.(data);
      this.open.delete(data.id);
    };
  }

  /** Calls a method; throws what Python says where it fails. */
  async ask(method: Method, given: Given = ""): Promise<Answer> {
    const id = ++this.count;
    const answered = new Promise<Answer>((resolve) => this.open.set(id, resolve));
    this.worker.postMessage({ id, method, given });
    const answer = await answered;
    if (answer.error) throw new Error(answer.error);
    return answer;
  }
}

/** Runs the newest of several wishes, when what runs has ended: sliders move faster than plans. */
export class Newest<Wish> {
  private wish: Wish | null = null;
  private isBusy = false;

  constructor(private readonly work: (wish: Wish) => Promise<void>) {}

  async want(wish: Wish): Promise<void> {
    this.wish = wish;
    if (this.isBusy) return;
    this.isBusy = true;
    while (this.wish !== null) {
      const next: Wish = this.wish;
      this.wish = null;
      await this.work(next);
    }
    this.isBusy = false;
  }
}
