// Draw a run of blocks that the window does not show as one box: "4 … 16".

import { NONE } from "../model/search.ts";
import type { GraphModel } from "../model/graph.ts";

/** Fewest boxes that are drawn as one. */
const LEAST = 2;
/** Room between a box and a line that passes it, in pixels. */
const ASIDE = 12;

/** A run of layers whose boxes become one. */
interface Run {
  first: number;
  last: number;
  boxes: number[];
}

/** The runs of layers in which all boxes can be stacked. */
function runsOf(graph: GraphModel, isAway: (box: number) => boolean): Run[] {
  const inLayer: number[][] = [];
  graph.layer.forEach((layer, box) => (inLayer[layer] ??= []).push(box));
  const runs: Run[] = [];
  let run: Run | null = null;
  for (let layer = 0; layer < inLayer.length; layer++) {
    const boxes = inLayer[layer] ?? [];
    if (boxes.length === 0 || boxes.some((box) => box >= graph.nodes || !isAway(box))) run = null;
    else if (run) Object.assign(run, { last: layer, boxes: [...run.boxes, ...boxes] });
    else runs.push((run = { first: layer, last: layer, boxes }));
  }
  return runs.filter(({ boxes }) => boxes.length >= LEAST);
}

/**
 * Stacks what lies next to each other away from the window.
 *
 * `nameOf` writes what a stack is called, from the first and the last of its boxes.
 */
export function stacked(
  graph: GraphModel,
  isAway: (box: number) => boolean,
  nameOf: (first: number, last: number) => string,
): GraphModel {
  const runs = runsOf(graph, isAway);
  if (runs.length === 0) return graph;
  const runAt = new Map<number, Run>();
  const layerAt: number[] = [];
  let layers = 0;
  for (const layer of graph.layer) layers = Math.max(layers, layer + 1);
  for (let layer = 0, next = 0; layer < layers; layer++) {
    const run = runs.find(({ first, last }) => layer >= first && layer <= last);
    if (run) runAt.set(layer, run);
    layerAt.push(run && layer > run.first ? next - 1 : next++);
  }
  const left = Array.from(graph.x, (_, box) => box).filter((box) => {
    const run = runAt.get(graph.layer[box]);
    return !run || run.boxes[0] === box;
  });
  const runOf = (box: number) => runAt.get(graph.layer[box]);
  const newBox = new Map<number, number>();
  left.forEach((box, own) => {
    for (const each of runOf(box)?.boxes ?? [box]) newBox.set(each, own);
  });
  const nodes = left.filter((box) => box < graph.nodes);
  const members = nodes.map((box) =>
    (runOf(box)?.boxes ?? [box]).flatMap((each) => graph.members[each]),
  );
  const boxOf = new Int32Array(graph.boxOf.length).fill(NONE);
  members.forEach((own, box) => own.forEach((node) => (boxOf[node] = box)));
  const boxWidth = Float64Array.from(left, (box) =>
    Math.max(...(runOf(box)?.boxes ?? [box]).map((each) => graph.boxWidth[each])),
  );
  const layer = Uint32Array.from(left, (box) => layerAt[graph.layer[box]]);
  const x = Float64Array.from(left, (box) => graph.x[box]);
  /** Where a line passes a layer, or a stack. */
  const pass = (edge: number, at: number): number => {
    const top = graph.layer[graph.source[edge]];
    const start = graph.routeStart[edge];
    const run = runAt.get(at);
    if (!run) return graph.route[start + at - top];
    const stack = newBox.get(run.boxes[0])!;
    const [middle, half] = [x[stack], boxWidth[stack] / 2];
    const bends = Array.from({ length: run.last - run.first + 1 }, (_, each) => {
      return graph.route[start + run.first + each - top];
    });
    const away = (place: number) => Math.abs(place - middle);
    const bend = bends.reduce((best, each) => (away(each) > away(best) ? each : best));
    if (away(bend) >= half) return bend;
    return middle + (half + ASIDE) * (bend < middle ? -1 : 1);
  };
  return {
    ...graph,
    ...edgesOf(graph, { newBox, nodes: nodes.length, x, runAt, pass }),
    name: nodes.map((box) => {
      const run = runOf(box);
      return run ? `${nameOf(box, run.boxes.at(-1)!)} ▸` : graph.name[box];
    }),
    type: nodes.map((box) => {
      const run = runOf(box);
      return run ? `${run.boxes.length} blocks` : graph.type[box];
    }),
    members,
    boxOf,
    nodes: nodes.length,
    boxWidth,
    layer,
    x,
    depth: layerAt.at(-1)! * graph.pitch + graph.height,
    frames: graph.frames?.map((frame) => ({
      ...frame,
      first: layerAt[frame.first],
      last: layerAt[frame.last],
    })),
    stacks: new Set(nodes.filter(runOf).map((box) => newBox.get(box)!)),
  };
}

interface Left {
  newBox: Map<number, number>;
  nodes: number;
  x: Float64Array;
  runAt: Map<number, Run>;
  /** Where an edge passes a layer. */
  pass: (edge: number, layer: number) => number;
}

/** The edges between the boxes that are left, each pair with a stack once. */
function edgesOf(graph: GraphModel, { newBox, nodes, x, runAt, pass }: Left) {
  const [source, target, back]: number[][] = [[], [], []];
  const [route, routeStart, labels]: [number[], number[], string[]] = [[], [0], []];
  const seen = new Set<string>();
  const parents: number[][] = Array.from({ length: nodes }, () => []);
  const children: number[][] = Array.from({ length: nodes }, () => []);
  for (let edge = 0; edge < graph.source.length; edge++) {
    const ends = [graph.source[edge], graph.target[edge]];
    const [from, to] = ends.map((box) => newBox.get(box)!);
    if (from === to || seen.has(`${from} ${to}`)) continue;
    if (ends.some((box) => runAt.has(graph.layer[box]))) seen.add(`${from} ${to}`);
    const [first, last] = ends.map((box) => graph.layer[box]);
    const length = graph.routeStart[edge + 1] - graph.routeStart[edge];
    const bends: number[] = [];
    if (graph.back[edge]) bends.push(graph.route[graph.routeStart[edge] + 1]);
    else if (length === last - first + 1) {
      const start = runAt.get(first)?.last ?? first;
      const stop = runAt.get(last)?.first ?? last;
      for (let layer = start + 1; layer < stop; layer++) {
        if ((runAt.get(layer)?.first ?? layer) === layer) bends.push(pass(edge, layer));
      }
    }
    const own = (box: number, end: number, at: number) =>
      runAt.has(graph.layer[box]) ? x[end] : graph.route[at];
    route.push(own(ends[0], from, graph.routeStart[edge]), ...bends);
    route.push(own(ends[1], to, graph.routeStart[edge + 1] - 1));
    routeStart.push(route.length);
    source.push(from);
    target.push(to);
    back.push(graph.back[edge]);
    labels.push(graph.labels[edge]);
    if (from >= nodes || to >= nodes) continue;
    children[from].push(to);
    parents[to].push(from);
  }
  return {
    source: Uint32Array.from(source),
    target: Uint32Array.from(target),
    back: Uint8Array.from(back),
    route: Float64Array.from(route),
    routeStart: Uint32Array.from(routeStart),
    labels,
    parents,
    children,
  };
}
