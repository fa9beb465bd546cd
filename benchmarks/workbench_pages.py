"""What runs inside the browser while `workbench.py` measures.

Both sides begin their clock at a frame, with their script loaded and their data as text, and stop
it when two more frames were drawn.
"""

CLOCK = """
window.frame = () => new Promise(requestAnimationFrame);
window.timed = async work => {
  await frame();
  const began = performance.now();
  await work();
  await frame();
  await frame();
  return (performance.now() - began) / 1000;
};
window.bytesOf = text => {
  const chars = atob(text);
  const bytes = new Uint8Array(chars.length);
  for (let place = 0; place < chars.length; place++) bytes[place] = chars.charCodeAt(place);
  return new DataView(bytes.buffer);
};
"""
LOAD = """
async source => {
  const url = URL.createObjectURL(new Blob([source], {type: "text/javascript"}));
  window.view = (await import(url)).default;
}
"""
MOUNT = """
async ([meta, columns, panels]) => {
  const traits = {panels, query: "", theme: "light"};
  const nothing = () => undefined;
  const listeners = [];
  const model = {get: (name) => traits[name] ?? null, set: nothing, save_changes: nothing,
    on: (event, call) => listeners.push([event, call]), off: nothing};
  window.put = (news) => {
    Object.assign(traits, news);
    for (const [event, call] of listeners) if (event.slice(7) in news) call();
  };
  return await timed(() => {
    Object.assign(traits, {_meta: JSON.parse(meta), _columns: bytesOf(columns)});
    return view.render({model, el: document.body});
  });
}
"""
PLOT = """
async figure => {
  const at = document.body.appendChild(document.createElement("div"));
  return await timed(() => {
    const {data, layout} = JSON.parse(figure);
    return Plotly.newPlot(at, data, layout);
  });
}
"""
OPENED = """
async () => {
  const frame = () => new Promise(requestAnimationFrame);
  while (!document.querySelector("[data-ready=true]")) await frame();
  await frame();
  await frame();
  return performance.now() / 1000;
}
"""
REDRAW = """
async ([meta, columns]) =>
  1000 * await timed(() => put({_meta: JSON.parse(meta), _columns: bytesOf(columns)}))
"""
FRAMES = """
async ([panel, frames]) => {
  const bench = document.querySelector(".aidge-nb").workbench;
  const view = bench.panels.find(({name}) => name === panel);
  const at = {x: view.width * 0.6, y: view.height * 0.5};
  const times = [], paints = [], idle = [];
  let before = await frame();
  for (let index = 0; index < 60; index++) {
    const now = await frame();
    idle.push(now - before);
    before = now;
  }
  const refresh = idle.sort((a, b) => a - b)[30];
  for (let index = 0; index < frames; index++) {
    const turn = Math.floor(index / 30) % 4;
    if (turn === 0) view.zoom(at, 0.8, true);
    else if (turn === 2) view.zoom(at, 1.25, true);
    else view.pan(turn === 1 ? 9 : -9, turn === 1 ? -7 : 7);
    view.redraw();
    const now = await frame();
    times.push(now - before);
    paints.push(Math.max(...bench.panels.map(each => Number(each.section.dataset.paintMs || 0))));
    before = now;
  }
  return [times, paints, refresh];
}
"""
LINKS = """
async () => {
  const bench = document.querySelector(".aidge-nb").workbench;
  const took = [];
  for (let index = 0; index < 20; index++) {
    await frame();
    const began = performance.now();
    bench.store.set({selected: (index * 37) % bench.store.model.count});
    await frame();
    await new Promise(done => setTimeout(done));
    took.push(performance.now() - began);
  }
  return took;
}
"""
