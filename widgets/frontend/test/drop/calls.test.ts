// Calls of the page's worker: answers find their questions, and sliders do not pile up.

import assert from "node:assert/strict";
import { test } from "node:test";

import type { Call, Progress, Reply } from "../../src/drop/protocol.ts";
import { Calls, Newest, type Speaker } from "../../src/drop/worker_calls.ts";

class Worker implements Speaker {
  asked: Call[] = [];
  onmessage: Speaker["onmessage"] = null;
  postMessage(call: Call) {
    this.asked.push(call);
  }
  say(reply: Reply) {
    this.onmessage?.({ data: reply } as MessageEvent<Reply>);
  }
}

const data = new Uint8Array();

test("answers come to those that asked, in whatever order", async () => {
  const worker = new Worker();
  const calls = new Calls(worker, () => {});
  const first = calls.ask("plan", "1");
  const second = calls.ask("plan", "2");
  const [one, two] = worker.asked;
  worker.say({ id: two.id, error: "", text: "two", data });
  worker.say({ id: one.id, error: "", text: "one", data });
  assert.equal((await first).text, "one");
  assert.equal((await second).text, "two");
});

test("what Python refuses is thrown", async () => {
  const worker = new Worker();
  const calls = new Calls(worker, () => {});
  const asked = calls.ask("open_zoo", "swirl");
  worker.say({ id: worker.asked[0].id, error: "there is no swirl", text: "", data });
  await assert.rejects(asked, /there is no swirl/);
});

test("progress is no answer", () => {
  const heard: Progress[] = [];
  const worker = new Worker();
  new Calls(worker, (progress) => heard.push(progress));
  worker.say({ done: 0.5, words: "Loading NumPy …" });
  assert.deepEqual(heard, [{ done: 0.5, words: "Loading NumPy …" }]);
});

test("of wishes that come while one is worked on, the newest counts", async () => {
  const worked: number[] = [];
  const ends: (() => void)[] = [];
  const newest = new Newest<number>((wish) => {
    worked.push(wish);
    return new Promise((resolve) => ends.push(resolve));
  });
  const all = newest.want(1);
  void newest.want(2);
  void newest.want(3);
  assert.deepEqual(worked, [1]);
  ends[0]();
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(worked, [1, 3]);
  ends[1]();
  await all;
  const later = newest.want(4);
  assert.deepEqual(worked, [1, 3, 4]);
  ends[2]();
  await later;
});
